package io.stampedeguard.benchmarks;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.measure.Latencies;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import redis.clients.jedis.RedisClient;

/**
 * The cost for Redis of notifying near caches of changes. Prints Redis' processor time and the bytes it sends, for each
 * change, each publication of a loaded value, and each lease with its publication, medians of the rounds. It also prints
 * the time from the begin of a change in one store until a listener of another store is notified.
 */
public final class ChangeCost {
    private static final int ROUNDS = 7;
    private static final int OPERATIONS = 3_000;
    private static final int DELAYS = 5_000;
    private static final Duration TTL = Duration.ofMinutes(10);
    private static final int PAYLOAD = 100;

    private final String uri;
    private final RedisClient client;
    private final RedisStore store;

    private ChangeCost(String uri, RedisClient client, RedisStore store) {
        this.uri = uri;
        this.client = client;
        this.store = store;
    }

    /** Runs the measurement; takes about two minutes. */
    public static void main(String[] arguments) throws IOException {
        try (RedisServer redis = RedisServer.start();
                RedisClient client = RedisClient.create(redis.uri());
                RedisStore store = RedisStore.connect(redis.uri())) {
            ChangeCost cost = new ChangeCost(redis.uri(), client, store);
            System.out.println("listeners  operation      Redis CPU us each  bytes sent each");
            for (int listeners : new int[] {0, 1, 8, 64}) {
                cost.measure(listeners);
            }
            cost.delays(new Latencies()); // warms up
            Latencies delays = new Latencies();
            cost.delays(delays);
            System.out.printf("notified after ms: p50 %.3f, p99 %.3f%n", delays.millisAt(50), delays.millisAt(99));
        }
    }

    private void measure(int listeners) throws IOException {
        try (RawListeners all = new RawListeners(URI.create(uri), listeners, "{cost:}:changes")) {
            report(all.count(), "invalidate", this::putAll, this::invalidateAll);
            report(all.count(), "publish", this::leaseAll, this::publishAll);
            report(all.count(), "lease+publish", tokens -> {}, tokens -> {
                leaseAll(tokens);
                publishAll(tokens);
            });
        }
    }

    private interface Batch {
        void run(List<LeaseToken> tokens);
    }

    private void report(int listeners, String operation, Batch before, Batch measured) {
        List<RedisCost> rounds = new ArrayList<>();
        for (int round = 0; round <= ROUNDS; round++) {
            RedisCost cost = round(before, measured);
            if (round > 0) { // the first warms up
                rounds.add(cost);
            }
        }
        System.out.printf(
                "%9d  %-13s  %17.1f  %15.0f%n",
                listeners, operation, median(rounds, RedisCost::cpuMicros), median(rounds, RedisCost::sentBytes));
    }

    private RedisCost round(Batch before, Batch measured) {
        List<LeaseToken> tokens =
                IntStream.range(0, OPERATIONS).mapToObj(i -> LeaseToken.next()).toList();
        client.flushAll();
        before.run(tokens);
        RedisCost start = RedisCost.soFar(client);
        measured.run(tokens);
        return RedisCost.soFar(client).since(start, OPERATIONS);
    }

    private static double median(List<RedisCost> rounds, ToDoubleFunction<RedisCost> figure) {
        return rounds.stream()
                .sorted(Comparator.comparingDouble(figure))
                .mapToDouble(figure)
                .toArray()[rounds.size() / 2];
    }

    private void putAll(List<LeaseToken> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            put(key(i), entry(tokens.get(i)));
        }
    }

    private void put(String key, byte[] entry) {
        store.shared().change(key, new Change.Put(entry, TTL), store.shared().patience());
    }

    private void invalidateAll(List<LeaseToken> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            store.shared()
                    .change(key(i), new Change.Invalidate(), store.shared().patience());
        }
    }

    private void leaseAll(List<LeaseToken> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            store.shared()
                    .lease(
                            List.of(new LeaseRequest(key(i), tokens.get(i), null)),
                            TTL,
                            store.shared().patience());
        }
    }

    private void publishAll(List<LeaseToken> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            store.shared()
                    .end(Map.of(new HeldLease(key(i), tokens.get(i)), new LeaseEnd.Publish(entry(tokens.get(i)), TTL)));
        }
    }

    private static String key(int number) {
        return "cost:" + number;
    }

    private static byte[] entry(LeaseToken token) {
        ByteBuffer entry = ByteBuffer.allocate(LeaseToken.BYTES + PAYLOAD);
        token.writeTo(entry);
        return entry.array();
    }

    private void delays(Latencies delays) {
        LastHeard heard = new LastHeard();
        try (RedisStore listening = RedisStore.connect(uri)) {
            requireNonNull(listening.shared().ability(InvalidationEvents.class)).watchChanges("cost", List.of(heard));
            while (!heard.listening) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < DELAYS; i++) {
                String key = key(i);
                long began = System.nanoTime();
                put(key, entry(LeaseToken.next()));
                while (!key.equals(heard.key)) {
                    Thread.onSpinWait();
                }
                delays.record(heard.atNanos - began);
            }
        }
    }

    /** Records the last key that it was notified of, and the time. */
    private static final class LastHeard implements InvalidationEvents.Listener {
        private volatile boolean listening;
        private volatile String key = "";
        private volatile long atNanos;

        @Override
        public void listening() {
            listening = true;
        }

        @Override
        public void completeUpTo(LongSupplier ageNanos) {
            // is not what is measured
        }

        @Override
        public void changed(String changed) {
            atNanos = System.nanoTime();
            key = changed;
        }

        @Override
        public void changedAll() {
            throw new IllegalStateException("the change included all keys");
        }

        @Override
        public void disconnected() {
            // a round without a notification does not end
        }
    }
}
