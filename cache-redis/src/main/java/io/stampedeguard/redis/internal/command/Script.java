package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.Fence;
import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/** A Lua script and its digest, by which Redis identifies it. <em>Immutable.</em> */
public final class Script {
    private static final String FOLDER = "/io/stampedeguard/redis/";

    private final byte[] source;
    private final byte[] digest;

    private Script(byte[] source) {
        this.source = source;
        this.digest = sha1(source);
    }

    /** Loads a script, which may consist of several files; {@code call.lua} comes before each. */
    public static Script load(String... names) {
        return load(Script::open, names);
    }

    /** Loads a script of another module, which opens the files, like {@link #load(String...)}. */
    public static Script load(Function<String, @Nullable InputStream> opener, String... names) {
        ByteArrayOutputStream source = new ByteArrayOutputStream();
        source.writeBytes(read(Script::open, "call"));
        for (String name : names) {
            source.writeBytes(read(opener, name));
        }
        return new Script(source.toByteArray());
    }

    private static @Nullable InputStream open(String file) {
        return Script.class.getResourceAsStream(FOLDER + file);
    }

    private static byte[] read(Function<String, @Nullable InputStream> opener, String name) {
        try (InputStream resource = opener.apply(name + ".lua")) {
            if (resource == null) {
                throw new IllegalStateException(name + ".lua is missing from the library's jar");
            }
            return resource.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("could not read " + name + ".lua", e);
        }
    }

    private static byte[] sha1(byte[] source) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-1").digest(source);
            return "%040x".formatted(new BigInteger(1, sum)).getBytes(StandardCharsets.US_ASCII);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime has no SHA-1", e);
        }
    }

    public Call call(List<byte[]> keys, byte[]... arguments) {
        return new Call(this, keys, List.of(arguments));
    }

    /** A call of a script: Redis keys, all in one slot, and other arguments. <em>Immutable</em>, except for the bytes. */
    public record Call(Script script, List<byte[]> keys, List<byte[]> arguments) implements KeyedCommand {
        /** Returns a call by digest only: a server that does not know the script answers {@code NOSCRIPT}. */
        @Override
        public CommandArguments toSend() {
            return command(Protocol.Command.EVALSHA, script.digest);
        }

        /** Returns a call by source, from which the server also learns the script. */
        @Override
        public CommandArguments toSendWithScript() {
            return command(Protocol.Command.EVAL, script.source);
        }

        private CommandArguments command(Protocol.Command command, byte[] scriptOrDigest) {
            CommandArguments call =
                    new CommandArguments(command).add(scriptOrDigest).add(keys.size());
            keys.forEach(call::key);
            arguments.forEach(call::add);
            return call;
        }

        @Override
        public int length() {
            int length = 0;
            for (byte[] argument : arguments) {
                length += argument.length;
            }
            return length;
        }

        /** Returns a call with more keys and arguments after the others. */
        Call with(List<byte[]> moreKeys, List<byte[]> moreArguments) {
            return new Call(
                    script,
                    Stream.concat(keys.stream(), moreKeys.stream()).toList(),
                    Stream.concat(arguments.stream(), moreArguments.stream()).toList());
        }

        /**
         * Calls the script. If the server does not know it, {@code EVAL} with the source loads and runs it in one step, on the node
         * of a cluster that has the keys at that moment.
         */
        @Override
        public Object sendAlone(UnifiedJedis client) {
            try {
                return client.evalsha(script.digest, keys, arguments);
            } catch (JedisNoScriptException unknown) {
                return client.eval(script.source, keys, arguments);
            }
        }
    }

    /**
     * The scripts of the lease protocol, each one atomic step, and their calls as bytes; {@code publish} is the command that
     * notifies waiting callers, {@code isOfCluster} whether scripts are given the generation of the cache, which a cluster has in
     * another slot. <em>Thread-safe.</em>
     */
    public record LeaseScripts(RedisKeys keys, byte[] publish, AtomicBoolean isOfCluster, ChangeTimes times) {
        private static final Script LEASE = Script.load("marks", "lease");
        private static final Script FENCE = Script.load("marks", "fence");
        private static final Script RENEW = Script.load("renew");
        private static final Script PUBLISH = Script.load("marks", "tags", "changed", "held", "publish");
        private static final Script EXTEND = Script.load("marks", "tags", "held", "extend");
        private static final Script ABANDON = Script.load("abandon");
        private static final Script FAIL = Script.load("fail");
        private static final Script PASS = Script.load("marks", "tags", "held", "pass");
        private static final Script PUT = Script.load("marks", "tags", "changed", "change", "put");
        private static final Script INVALIDATE = Script.load("changed", "change", "invalidate");
        private static final Script EXPIRE = Script.load("changed", "change", "expire");
        private static final Script BEAT = Script.load("beat");
        private static final Script LEAVE = Script.load("leave");
        private static final byte[] NONE = {};
        private static final byte[] REMOVE = text("remove");
        private static final byte[] TIME = text("time");

        /**
         * Requests a lease, or a fence. The answer to a lease contains the server's clock if {@code isTimed}, and it was granted, or an
         * entry found. {@code nowMillis} is this clock as the caller knows it, 0 if it is not to be compared; so is {@code generation}.
         */
        public Script.Call lease(LeaseRequest request, Duration ttl, boolean isTimed, long nowMillis, long generation) {
            LeaseToken seen = request.seen();
            byte[] seenBytes = seen == null ? NONE : seen.toBytes();
            if (request.isForFence()) {
                return FENCE.call(
                        all(request.key()), request.token().toBytes(), seenBytes, millis(ttl), known(generation));
            }
            return LEASE.call(
                    all(request.key()),
                    request.token().toBytes(),
                    seenBytes,
                    millis(ttl),
                    isTimed ? TIME : NONE,
                    seen == null || nowMillis == 0 ? NONE : text(nowMillis),
                    known(generation));
        }

        public Script.Call renew(HeldLease lease, Duration ttl) {
            return RENEW.call(leaseOnly(lease), token(lease), millis(ttl));
        }

        /** Ends a lease as its holder. */
        public Script.Call end(HeldLease lease, LeaseEnd end) {
            if (end instanceof LeaseEnd.Publish published) {
                Script.Call call = tagged(
                        published.tags(),
                        lease.key(),
                        PUBLISH.call(
                                all(lease.key()), token(lease), published.entry(), millis(published.ttl()), publish));
                Long asOf = published.asOfMillis();
                return asOf == null ? call : times.compared(lease.key(), call, asOf, isOfCluster.get());
            }
            if (end instanceof LeaseEnd.Extend extended) {
                byte[] seen = extended.seen().toBytes();
                byte[] ttl = millis(extended.ttl());
                return tagged(
                        extended.tags(),
                        lease.key(),
                        EXTEND.call(all(lease.key()), token(lease), seen, extended.head(), ttl, publish));
            }
            if (end instanceof LeaseEnd.Fail failed) {
                return fail(lease, failed);
            }
            return end instanceof LeaseEnd.Pass passed
                    ? pass(lease, passed)
                    : ABANDON.call(leaseOnly(lease), token(lease), publish);
        }

        /** Returns a change of a key that also leaves its time, if the changes of its cache are remembered. */
        private Script.Call remembered(String key, Script.Call change) {
            return times.memories.isEmpty() ? change : times.remembered(key, change);
        }

        private Script.Call fail(HeldLease lease, LeaseEnd.Fail failed) {
            return FAIL.call(
                    leaseOnly(lease),
                    token(lease),
                    text(failed.inARow()),
                    millis(failed.coolDown()),
                    millis(failed.remembered()),
                    millis(failed.coolDown().plus(failed.remembered())),
                    failed.failure(),
                    publish);
        }

        private Script.Call pass(HeldLease lease, LeaseEnd.Pass passed) {
            byte[] entry = passed.entry();
            byte[] removal = passed.removesEntry() ? REMOVE : NONE;
            byte[] kept = entry == null ? NONE : entry;
            return tagged(
                    passed.tags(),
                    lease.key(),
                    PASS.call(all(lease.key()), token(lease), millis(passed.notCacheable()), removal, kept, publish));
        }

        /** Returns the call of a script that stores a value: with tags, which come after the other arguments, it is given their marks. */
        private Script.Call tagged(List<String> tags, String key, Script.Call call) {
            return tags.isEmpty() || isOfCluster.get()
                    ? call
                    : call.with(
                            List.of(keys.marks(RedisKeys.cacheOf(key))),
                            tags.stream().map(LeaseScripts::text).toList());
        }

        /** Gives a lease back, and notifies nobody. */
        public Script.Call withdraw(HeldLease lease) {
            return ABANDON.call(leaseOnly(lease), token(lease), NONE);
        }

        /** Stores an entry between two times of the server's clock; {@code generation} as for a lease. */
        public Script.Call put(String key, Change.Put put, long fromMillis, long untilMillis, long generation) {
            Script.Call call = PUT.call(
                    all(key),
                    put.entry(),
                    millis(put.ttl()),
                    publish,
                    changesOf(key),
                    text(fromMillis),
                    text(untilMillis),
                    text(put.stampOffset()),
                    known(generation));
            Fence fence = put.fence();
            return remembered(key, fence == null ? call : tagged(put.tags(), key, fenced(call, fence, put.tags())));
        }

        private static Script.Call fenced(Script.Call put, Fence fence, List<String> tags) {
            Change.Expire expiry = fence.expiry();
            return put.with(
                    List.of(),
                    List.of(
                            requireNonNull(fence.token()).toBytes(),
                            expiry == null ? NONE : text(expiry.offset()),
                            expiry == null ? NONE : expiry.mark(),
                            tags.isEmpty() ? NONE : text(fence.stamp())));
        }

        public Script.Call invalidate(String key) {
            return remembered(key, INVALIDATE.call(both(key), publish, changesOf(key)));
        }

        public Script.Call expire(String key, Change.Expire expiry) {
            return remembered(
                    key, EXPIRE.call(both(key), text(expiry.offset()), expiry.mark(), publish, changesOf(key)));
        }

        public Script.Call beat(String cache, String process, Duration ttl) {
            return BEAT.call(List.of(keys.members(cache)), text(process), millis(ttl));
        }

        public Script.Call leave(String cache, String process) {
            return LEAVE.call(List.of(keys.members(cache)), text(process));
        }

        /** Returns what {@code lease.lua} stores in place of a lease that nobody waits for; a stamp of zero is none. */
        static byte[] leaseOf(LeaseToken token, Duration ttl, long stamp) {
            byte[] length = text(ttl.toMillis() + (stamp == 0 ? "" : "@" + stamp));
            return ByteBuffer.allocate(LeaseToken.BYTES + length.length)
                    .put(token.toBytes())
                    .put(length)
                    .array();
        }

        /** Returns what {@code beat.lua} has answered. */
        public static FleetMembers.Membership membership(Object reply) {
            List<?> answer = (List<?>) reply;
            return new FleetMembers.Membership(((Long) answer.get(0)).intValue(), ((Long) answer.get(1)).intValue());
        }

        /** Returns whether {@code put.lua} has answered that the fence of the put has ended. */
        public static boolean isRefused(Object answer) {
            return Long.valueOf(-1).equals(answer);
        }

        /** Returns whether the script of a change has answered that it may not publish it. */
        public static boolean isSilent(Object answer) {
            Object isAnnounced = answer instanceof List<?> parts ? parts.get(1) : answer;
            return Long.valueOf(0).equals(isAnnounced);
        }

        /** Returns whether a script has answered that it made its change. */
        public static boolean isDone(Object answer) {
            return Long.valueOf(1).equals(answer);
        }

        /** Returns the channel on which near caches are notified. */
        private byte[] changesOf(String key) {
            return keys.changes(RedisKeys.cacheOf(key));
        }

        private List<byte[]> both(String key) {
            return List.of(keys.value(key), keys.lease(key));
        }

        private List<byte[]> all(String key) {
            return isOfCluster.get()
                    ? both(key)
                    : List.of(keys.value(key), keys.lease(key), keys.generation(RedisKeys.cacheOf(key)));
        }

        private List<byte[]> leaseOnly(HeldLease lease) {
            return List.of(keys.lease(lease.key()));
        }

        private static byte[] token(HeldLease lease) {
            return lease.token().toBytes();
        }

        private static byte[] millis(Duration ttl) {
            return text(ttl.toMillis());
        }

        private static byte[] known(long generation) {
            return generation == 0 ? NONE : text(generation);
        }

        static byte[] text(Object value) {
            return value.toString().getBytes(StandardCharsets.UTF_8);
        }

        /**
         * The answer of {@code lease.lua} or {@code fence.lua}: the result; the server's clock, and the generation, if it contains
         * them; and whether the known clock is ahead. <em>Immutable</em>, except for the bytes.
         */
        public record Answer(
                LeaseAttempt attempt, @Nullable Long serverNanos, boolean isEarly, byte @Nullable [] generation) {
            public static Answer of(Object reply) {
                List<?> answer = (List<?>) reply;
                String word = new String((byte[]) answer.get(0), StandardCharsets.US_ASCII);
                return switch (word) {
                    case "granted" -> timed(new LeaseAttempt.Granted(number(answer.get(1))), answer);
                    case "early" ->
                        new Answer(
                                new LeaseAttempt.Found((byte[]) answer.get(1)),
                                StoreClock.nanosIn(answer.subList(3, 5)),
                                true,
                                (byte[]) answer.get(2));
                    case "found" -> timed(new LeaseAttempt.Found((byte[]) answer.get(1)), answer);
                    case "held" ->
                        untimed(new LeaseAttempt.Held(holder((byte[]) answer.get(1)), millis(answer.get(2))));
                    case "fence" -> untimed(new LeaseAttempt.Fence(LeaseToken.startOf((byte[]) answer.get(1))));
                    case "pass" -> untimed(new LeaseAttempt.NotCacheable(millis(answer.get(1))));
                    case "failed" ->
                        untimed(new LeaseAttempt.Failed(
                                (byte[]) answer.get(1), millis(answer.get(2)), number(answer.get(3))));
                    default -> throw new IllegalStateException("lease.lua answered " + word);
                };
            }

            boolean isTimed() {
                return serverNanos != null;
            }

            /** Updates the clock if the answer contains it. */
            public void teach(StoreClock clock, Turn turn) {
                if (serverNanos != null && isEarly) {
                    clock.correct(serverNanos, turn.sentNanos());
                } else if (serverNanos != null) {
                    clock.learn(serverNanos, turn.sentNanos());
                }
            }

            private static Answer timed(LeaseAttempt attempt, List<?> answer) {
                Long serverNanos = answer.size() <= 3 ? null : StoreClock.nanosIn(answer.subList(3, 5));
                return new Answer(attempt, serverNanos, false, (byte[]) answer.get(2));
            }

            private static Answer untimed(LeaseAttempt attempt) {
                return new Answer(attempt, null, false, null);
            }

            private static @Nullable LeaseToken holder(byte[] stored) {
                return stored.length == LeaseToken.BYTES ? LeaseToken.startOf(stored) : null;
            }

            private static int number(Object number) {
                return ((Long) number).intValue();
            }

            private static Duration millis(Object number) {
                return Duration.ofMillis((Long) number);
            }
        }
    }
}
