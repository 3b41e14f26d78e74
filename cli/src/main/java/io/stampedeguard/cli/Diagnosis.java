package io.stampedeguard.cli;

import static io.stampedeguard.cli.Finding.advice;
import static io.stampedeguard.cli.Finding.ok;
import static io.stampedeguard.cli.Finding.unknown;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.redis.internal.connect.ServerCheck.EvictionPolicy;
import io.stampedeguard.redis.internal.connect.ServerCheck.MissingRights;
import io.stampedeguard.redis.internal.connect.ServerCheck.ServerVersion;
import io.stampedeguard.report.LeaseReport;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisDataException;

/** The checks of {@code ./stampede doctor}: of each master, then of all of them together. For one thread. */
final class Diagnosis {
    private static final Script RIGHTS = Script.load("rights");
    private static final Script CHANNELS = Script.load(Diagnosis.class::getResourceAsStream, "channels");
    private static final int TELLS_RIGHTS = 7;
    private static final int ROUND_TRIPS = 25;
    private static final long CLOCK_MILLIS = 1_000;
    private static final long NEARLY_FULL_PERCENT = 90;
    private static final long MOST_SCANNED = 100_000;

    private final Server server;
    private final @Nullable String cache;
    private final Duration slow;
    private final Report report;

    /** Creates a diagnosis; without a {@code cache}, of all caches. */
    Diagnosis(Server server, @Nullable String cache, Duration slow, Report report) {
        this.server = server;
        this.cache = cache;
        this.slow = slow;
        this.report = report;
    }

    /** Receives each finding, those of a server one after the other. */
    interface Report {
        void add(String server, String check, Finding finding);
    }

    void run() {
        boolean allAnswer = server.eachMaster(this::examine);
        String all = server.name();
        if (server.isCluster()) {
            check(all, "members", () -> members(allAnswer));
        }
        check(all, "leases", this::leases);
        if (cache != null) {
            marks(all, new RedisKeys(server.prefix()), cache);
        }
    }

    private void examine(String where, Jedis master) {
        String info = master.info();
        check(where, "version", () -> version(info));
        check(where, "role", () -> role(info));
        check(where, "eviction", () -> eviction(info));
        check(where, "permissions", () -> permissions(master, info));
        check(where, "clock", () -> clock(master));
        check(where, "connections", () -> connections(info));
        check(where, "latency", () -> latency(master));
    }

    private void check(String where, String name, Supplier<Finding> check) {
        Finding found;
        try {
            found = check.get();
        } catch (JedisDataException | StoreException refused) {
            found = unknown(KeyEncoder.printable(String.valueOf(refused.getMessage())));
        }
        report.add(where, name, found);
    }

    private static Finding version(String info) {
        ServerVersion version = ServerVersion.in(info);
        if (version == null) {
            return unknown("the server does not report it");
        }
        return version.isTooOld() ? advice(version.complaint("")) : ok("Redis " + version.text());
    }

    private Finding role(String info) {
        if (field(info, "role").equals("slave")) {
            return advice(
                    "a replica of %s:%s, which refuses changes: give the caches its master, or a client of its Sentinels"
                            .formatted(field(info, "master_host"), field(info, "master_port")));
        }
        long replicas = number(info, "connected_slaves");
        String name = server.sentinelName();
        String role = "master" + (name == null ? "" : " " + KeyEncoder.shown(name) + " of a Sentinel") + ", replicas: "
                + replicas;
        return replicas > 0 || (name == null && !server.isCluster())
                ? ok(role)
                : advice(role + ": nothing can take over if it fails; add a replica");
    }

    private static Finding eviction(String info) {
        EvictionPolicy policy = EvictionPolicy.in(info);
        if (policy == null) {
            return field(info, "maxmemory").equals("0")
                    ? ok("none: maxmemory is not set")
                    : unknown("the server does not report maxmemory");
        }
        if (policy.isHarmful()) {
            return advice(policy.advice(""));
        }
        long percent = 100 * number(info, "used_memory") / number(info, "maxmemory");
        String memory = policy.name() + ", memory used: " + percent + " %";
        return policy.name().equals("noeviction") && percent >= NEARLY_FULL_PERCENT
                ? advice(memory
                        + ": a full server refuses changes, so that each process loads for itself; raise maxmemory, or"
                        + " set volatile-lru")
                : ok(memory + ", keys evicted: " + number(info, "evicted_keys"));
    }

    private Finding permissions(Jedis master, String info) {
        ServerVersion version = ServerVersion.in(info);
        if (version == null || version.major() < TELLS_RIGHTS) {
            return unknown("servers report them since Redis " + TELLS_RIGHTS);
        }
        RedisKeys keys = new RedisKeys(server.prefix());
        String name = cache == null ? "doctor" : cache;
        byte[] lease = keys.lease(name + ":doctor");
        byte[] sharded = (server.isCluster() ? "sharded" : "").getBytes(UTF_8);
        String pattern = server.prefix() + "{" + (cache == null ? "" : cache + ":") + "*";
        String everything = " ~" + pattern + " &" + pattern;
        MissingRights ofKeys = missing(master, RIGHTS.call(List.of(), lease));
        MissingRights ofChannels = missing(master, CHANNELS.call(List.of(), keys.changes(name), lease, sharded));
        if (ofKeys == null || ofChannels == null) {
            return cache == null
                    ? unknown("this user may access only some keys: name a cache (--cache)")
                    : advice("this user may not access the keys of the cache: permit" + everything);
        }
        MissingRights all = new MissingRights(Stream.of(ofKeys, ofChannels)
                .flatMap(some -> some.commands().stream())
                .distinct()
                .toList());
        return all.commands().isEmpty()
                ? ok("this user may call all commands of caches")
                : advice("this user may not call " + all.names()
                        + ", so keys are loaded more often, or changes are late;" + " permit " + all.rules()
                        + everything);
    }

    private static @Nullable MissingRights missing(Jedis master, Script.Call call) {
        try {
            return MissingRights.in(master.getConnection().executeCommand(call.toSendWithScript()));
        } catch (JedisDataException refused) {
            return MissingRights.in(refused);
        }
    }

    /** The time that one answer took, and by how much the server's clock is ahead if it was read after half of that. */
    private record RoundTrip(long nanos, long aheadMillis) {
        static RoundTrip to(Jedis server) {
            long sent = System.nanoTime();
            long here = System.currentTimeMillis();
            List<String> there = server.time();
            long nanos = System.nanoTime() - sent;
            long serverMillis = Long.parseLong(there.get(0)) * 1_000 + Long.parseLong(there.get(1)) / 1_000;
            return new RoundTrip(nanos, serverMillis - here - TimeUnit.NANOSECONDS.toMillis(nanos / 2));
        }

        /** Returns some, the fastest one first: it is the most precise. */
        static List<RoundTrip> someTo(Jedis server) {
            return Stream.generate(() -> to(server))
                    .limit(ROUND_TRIPS)
                    .sorted(Comparator.comparingLong(RoundTrip::nanos))
                    .toList();
        }
    }

    private static Finding clock(Jedis master) {
        RoundTrip fastest = RoundTrip.someTo(master).get(0);
        long off = Math.abs(fastest.aheadMillis());
        String difference = off + " ms " + (fastest.aheadMillis() < 0 ? "behind" : "ahead of") + " this machine's";
        return off - TimeUnit.NANOSECONDS.toMillis(fastest.nanos() / 2) > CLOCK_MILLIS
                ? advice(difference
                        + ": synchronize both; after a failover to a server with another clock, entries and leases"
                        + " end at other times")
                : ok(difference);
    }

    private Finding latency(Jedis master) {
        List<RoundTrip> trips = RoundTrip.someTo(master);
        long median = trips.get(ROUND_TRIPS / 2).nanos();
        String measured = "%.1f ms (median of %d)".formatted(median / 1e6, ROUND_TRIPS);
        return median > slow.toNanos()
                ? advice(measured + ": each hit in Redis takes as long; move the caches closer, or use near caches")
                : ok(measured);
    }

    private static Finding connections(String info) {
        long open = number(info, "connected_clients");
        long most = number(info, "maxclients");
        String used = open + (most == 0 ? "" : " of maxclients " + most);
        return most > 0 && 100 * open >= NEARLY_FULL_PERCENT * most
                ? advice(used + ": further ones are refused; raise maxclients, or lower maxConnections of the stores")
                : ok(used + ", refused: " + number(info, "rejected_connections"));
    }

    private static Finding members(boolean allAnswer) {
        return allAnswer ? ok("all answer") : advice("some do not answer: restart or remove them");
    }

    private Finding leases() {
        HotLook look = new HotLook(server, cache == null ? "" : cache + ":", MOST_SCANNED);
        Map<LeaseReport.State, Long> leases = look.look().stream()
                .collect(Collectors.groupingBy(hot -> hot.lease().state(), Collectors.counting()));
        long failed = leases.getOrDefault(LeaseReport.State.COOLING_DOWN, 0L);
        String counts = "held: %d, cooling down: %d%s"
                .formatted(
                        leases.getOrDefault(LeaseReport.State.HELD, 0L),
                        failed,
                        look.isCutShort() ? "; not all Redis keys were scanned" : "");
        return failed == 0 ? ok(counts) : advice(counts + ": loads failed; the command 'hot' shows why");
    }

    /** Reports when all entries, or those with a tag, were changed last, in ms since the epoch; nothing if it may not look. */
    private void marks(String where, RedisKeys keys, String name) {
        try {
            byte[] stored = server.client().mget(keys.generation(name)).get(0);
            String found = stored == null
                    ? "none"
                    : "last change, removal, expiry, and change of a tag: "
                            + KeyEncoder.printable(new String(stored, UTF_8)) + "; marks of tags: "
                            + server.client().zcard(keys.marks(name));
            report.add(where, "marks", ok(found));
        } catch (JedisDataException refused) {
            return; // what is missing for the cache itself is told with its permissions
        }
    }

    /** Returns a field in the answer to {@code INFO}; empty if it is not there. */
    private static String field(String info, String name) {
        Matcher field =
                Pattern.compile("^" + name + ":(\\S+)", Pattern.MULTILINE).matcher(info);
        return field.find() ? KeyEncoder.printable(field.group(1)) : "";
    }

    private static long number(String info, String name) {
        String digits = field(info, name);
        return digits.matches("\\d{1,18}") ? Long.parseLong(digits) : 0;
    }
}
