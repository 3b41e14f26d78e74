package io.stampedeguard.simulation;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.RedisCommands;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** What the simulation counts for each request is what a real Redis counts for that of a {@code RedisStore}. */
final class RedisCostTest {
    private static final String KEY = "fleet:key-17";
    private static final String OTHER = "fleet:key-18";
    private static final Duration TTL = Duration.ofMinutes(1);

    /** Repeated, so that one answer without a digit more or less does not matter. */
    private static final int TIMES = 50;

    /** No command is sent twice because a busy machine stalls. */
    private static final RedisStoreOptions PATIENT =
            RedisStoreOptions.builder().commandTimeout(Duration.ofSeconds(20)).build();

    private final RedisProcess server = RedisServer.startProcess();
    private final RedisClient observer = PlainRedis.connectPatiently(server.uri(), 1);
    private final RedisStore store = RedisStore.connect(server.uri(), PATIENT);
    private final LeaseToken token = LeaseToken.next();
    private final byte[] entry = new byte[160];

    @BeforeEach
    void warmUp() {
        Marks.of(store.shared().ability(Marks.Keeper.class), "fleet"); // as a cache does
        System.arraycopy(token.toBytes(), 0, entry, 0, LeaseToken.BYTES);
        on(store).lease(KEY, token, null, TTL);
        store.shared().renew(Set.of(new HeldLease(KEY, token)), TTL);
        on(store).publish(KEY, token, entry, TTL);
        on(store).abandon(KEY, token);
        on(store).invalidate(KEY);
    }

    @AfterEach
    void end() {
        store.close();
        observer.close();
        server.close();
    }

    @Test
    void aReadCostsOneCommand() {
        hasCost(() -> RedisCost.get(KEY, on(store).read(KEY)));
        on(store).put(KEY, entry, TTL);
        hasCost(() -> RedisCost.get(KEY, on(store).read(KEY)));
    }

    @Test
    void leaseRequestsCostWhatTheirAnswersNeed() {
        knowTheClock();
        on(store).put(OTHER, entry, TTL);
        on(store).lease(OTHER, LeaseToken.next(), null, TTL);
        hasCost(this::grantedAndFound); // granted, as it is this token's
        hasCost(() -> lease(LeaseToken.next(), true), 1); // held, and nobody knew
        hasCost(() -> lease(LeaseToken.next(), false)); // held
        on(store).put(KEY, entry, TTL);
        hasCost(() -> lease(LeaseToken.next(), false)); // found
    }

    /** An entry that is found ends a row of granted leases: the simulation knows no plain requests. */
    private RedisCost grantedAndFound() {
        RedisCost granted = lease(token, false);
        LeaseAttempt found = on(store).lease(OTHER, LeaseToken.next(), null, TTL);
        RedisCost other = RedisCost.lease(OTHER, null, TTL, false, found);
        return new RedisCost(
                granted.commands() + " " + other.commands(),
                granted.bytesIn() + other.bytesIn(),
                granted.bytesOut() + other.bytesOut());
    }

    private RedisCost lease(LeaseToken asking, boolean firstTold) {
        LeaseAttempt answer = on(store).lease(KEY, asking, null, TTL);
        return RedisCost.lease(KEY, null, TTL, firstTold, answer);
    }

    @Test
    void aRequestAboutASeenEntryReadsItsHead() {
        on(store).put(KEY, entry, TTL);
        knowTheClock();
        on(store).put(KEY, entry, TTL);
        LeaseToken seen = LeaseToken.startOf(entry);
        hasCost(() -> RedisCost.lease(KEY, seen, TTL, false, on(store).lease(KEY, token, seen, TTL)));
    }

    @Test
    void theHolderOfALeaseCostsWhatItDoes() {
        on(store).lease(KEY, token, null, TTL);
        hasCost(() -> {
            store.shared().renew(Set.of(new HeldLease(KEY, token)), TTL);
            return RedisCost.renew(KEY, TTL);
        });
        hasCost(() -> RedisCost.publish(KEY, entry, TTL, on(store).publish(KEY, token, entry, TTL), false), 1);
        on(store).lease(KEY, token, LeaseToken.startOf(entry), TTL);
        on(store).lease(KEY, LeaseToken.next(), LeaseToken.startOf(entry), TTL);
        hasCost(() -> RedisCost.publish(KEY, entry, TTL, on(store).publish(KEY, token, entry, TTL), true), 1);
        on(store).lease(KEY, token, LeaseToken.startOf(entry), TTL);
        hasCost(() -> RedisCost.abandon(KEY, on(store).abandon(KEY, token)), 1);
        hasCost(() -> RedisCost.abandon(KEY, on(store).abandon(KEY, token)));
    }

    @Test
    void aWatchCostsItsSubscriptionAndALookAtTheLease() {
        watched("fleet:key-00", null); // opens the connection
        AtomicInteger number = new AtomicInteger(20); // not that of KEY
        hasCost(() -> watched("fleet:key-" + number.getAndIncrement(), null));
        on(store).lease(KEY, token, null, TTL);
        hasCost(() -> watched(KEY, token), 1);
    }

    private RedisCost watched(String key, @Nullable LeaseToken expected) {
        CompletableFuture<Optional<LeaseToken>> holder = new CompletableFuture<>();
        requireNonNull(store.shared().ability(LeaseNotifications.class)).watch(key, new LeaseNotifications.Listener() {
            @Override
            public void listening() {
                holder.complete(Optional.empty());
            }

            @Override
            public void listening(LeaseToken held) {
                holder.complete(Optional.of(held));
            }

            @Override
            public void onNotice(LeaseNotifications.Notice notice) {}
        });
        assertThat(holder.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(Optional.ofNullable(expected));
        return RedisCost.subscribe(key, expected);
    }

    /** After enough answers, requests ask no more for the server's clock. */
    private void knowTheClock() {
        for (int i = 0; i < TIMES; i++) {
            on(store).lease(KEY, token, null, TTL);
        }
    }

    private void hasCost(Supplier<RedisCost> request) {
        hasCost(request, TIMES);
    }

    private void hasCost(Supplier<RedisCost> request, int times) {
        long[] ofLooking = bytesSince(bytes());
        Map<String, Long> before = commands();
        long[] bytesBefore = bytes();
        long in = 0;
        long out = 0;
        Map<String, Long> counted = new TreeMap<>();
        for (int i = 0; i < times; i++) {
            RedisCost cost = request.get();
            in += cost.bytesIn();
            out += cost.bytesOut();
            Stream.of(cost.commands().split(" ")).forEach(name -> counted.merge(name, 1L, Long::sum));
        }
        long[] bytes = bytesSince(bytesBefore);

        assertThat(since(before)).isEqualTo(counted);
        if (times == TIMES) { // otherwise the bytes of looking weigh too much
            assertThat(bytes[0] - ofLooking[0]).isCloseTo(in, withinPercentage(5));
            assertThat(bytes[1] - ofLooking[1]).isCloseTo(out, withinPercentage(5));
        }
    }

    private Map<String, Long> commands() {
        return RedisCommands.parse(observer.info("commandstats")).besides("info", "hello", "client", "ping", "config");
    }

    private Map<String, Long> since(Map<String, Long> before) {
        Map<String, Long> more = new TreeMap<>();
        commands().forEach((name, calls) -> {
            long added = calls - before.getOrDefault(name, 0L);
            if (added != 0) {
                more.put(name, added);
            }
        });
        return more;
    }

    /** Returns the bytes that the server has read and written. */
    private long[] bytes() {
        String info = observer.info("stats");
        return new long[] {number(info, "total_net_input_bytes"), number(info, "total_net_output_bytes")};
    }

    private long[] bytesSince(long[] before) {
        long[] now = bytes();
        return new long[] {now[0] - before[0], now[1] - before[1]};
    }

    private static long number(String info, String name) {
        return Pattern.compile(name + ":([0-9]+)")
                .matcher(info)
                .results()
                .map(found -> Long.parseLong(requireNonNull(found.group(1))))
                .findFirst()
                .orElseThrow();
    }
}
