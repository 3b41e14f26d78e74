package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.InvalidationEvents.Listener;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.subscribe.InvalidationFeed;
import io.stampedeguard.redis.internal.subscribe.Servers;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/**
 * Proofs are compared with the facts: writers record when each change was begun and when it had been made, while the
 * server stalls now and then and connections are cut. Whenever a proof states that no change up to a moment is missing,
 * each change must have been reported that was begun after listening began and made before that moment.
 */
class ChangesProofTest {
    private static final Duration BRIEF = Duration.ofSeconds(4);
    private static final Duration LENGTH = Duration.ofSeconds(12);
    private static final int WRITERS = 3;
    private static final RedisKeys KEYS = new RedisKeys("");

    /** Proofs are given this many times as often as usual, to have many of them. */
    private static final int HURRY = 200;

    private final RedisProcess server = RedisServer.startProcess();
    private final List<Write> writes = new CopyOnWriteArrayList<>();
    private final Witness witness = new Witness();

    /** A change, with the moments between which it was made. */
    private record Write(String key, long begun, long made) {}

    @Test
    void whatIsProvenIsTrue() throws Exception {
        assertWhatIsProvenIsTrue(BRIEF);
    }

    @Test
    @Tag("proof")
    void whatIsProvenIsTrueForLonger() throws Exception {
        assertWhatIsProvenIsTrue(LENGTH);
    }

    private void assertWhatIsProvenIsTrue(Duration length) throws Exception {
        long seed = ThreadLocalRandom.current().nextLong();
        Servers servers = Servers.at(
                () -> new Connection(
                        new HostAndPort(server.host(), server.port()),
                        DefaultJedisClientConfig.builder()
                                .resp2()
                                .timeoutMillis(500)
                                .build()),
                List::of);
        try (server;
                InvalidationFeed changes = new InvalidationFeed(
                        servers,
                        KEYS,
                        witness,
                        (server, since) -> {},
                        new BackgroundThreads("changes-proof", witness))) {
            changes.watchChanges("proof", List.of(witness));
            Fleet.until(() -> witness.listenings > 0);
            writeDuringTrouble(new Random(seed), length);
            Fleet.until(() -> witness.proofs >= 2);
        }
        assertThat(witness.violations).as("seed %d", seed).isEmpty();
    }

    /** Continues until there were also many notifications and several connections. */
    private void writeDuringTrouble(Random random, Duration length) throws InterruptedException {
        long end = System.nanoTime() + length.toNanos();
        AtomicBoolean over = new AtomicBoolean();
        Thread[] writers = new Thread[WRITERS];
        for (int i = 0; i < WRITERS; i++) {
            String name = "proof:" + i + "-";
            writers[i] = new Thread(() -> write(name, over));
            writers[i].start();
        }
        while (System.nanoTime() - end < 0 || witness.listenings < 2 || witness.heard.size() < 100) {
            Thread.sleep(random.nextInt(500));
            trouble(random.nextInt(8), random.nextInt(900));
        }
        over.set(true);
        for (Thread writer : writers) {
            writer.join();
        }
    }

    private void trouble(int kind, int millis) throws InterruptedException {
        if (kind == 0) {
            try (Jedis admin = PlainRedis.admin(server.host(), server.port())) {
                admin.clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB));
            }
        } else {
            server.pause();
            Thread.sleep(kind == 1 ? 2_500 + millis : millis);
            server.resume();
        }
    }

    private void write(String name, AtomicBoolean over) {
        RedisStoreOptions patient = RedisStoreOptions.builder()
                .commandTimeout(Duration.ofSeconds(30))
                .circuitBreaker(false)
                .maxConnections(1)
                .build();
        try (RedisStore store = RedisStore.connect(server.uri(), patient)) {
            for (int i = 0; !over.get(); i++) {
                String key = name + i;
                long begun = System.nanoTime();
                try {
                    on(store).put(key, LeaseToken.next().toBytes(), Duration.ofMinutes(1));
                    writes.add(new Write(key, begun, System.nanoTime()));
                } catch (StoreException tooLate) {
                    // The server was paused for longer than a put may take: nothing was stored.
                }
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Records when its thread last read the clock, so that the age of a proof gives the moment exactly. */
    private final class Witness implements Listener, TimeSource {
        private final ThreadLocal<Long> lastRead = new ThreadLocal<>();
        private final Set<String> heard = ConcurrentHashMap.newKeySet();
        private final List<String> violations = new CopyOnWriteArrayList<>();
        private volatile int listenings;
        private volatile int proofs;
        private volatile boolean disconnected = true;
        private long since;

        @Override
        public void listening() {
            since = System.nanoTime();
            disconnected = false;
            proofs = 0;
            listenings++;
        }

        @Override
        public void disconnected() {
            disconnected = true;
        }

        @Override
        public void changed(String key) {
            heard.add(key);
        }

        @Override
        public void changedAll() {
            violations.add("all was told");
        }

        @Override
        public void completeUpTo(LongSupplier ageNanos) {
            long age = ageNanos.getAsLong();
            long moment = lastRead.get() - age;
            if (disconnected) {
                violations.add("a proof while disconnected");
            }
            for (Write write : writes) {
                if (write.begun - since > 0 && write.made - moment < 0 && !heard.contains(write.key)) {
                    violations.add(write.key + " was made " + (moment - write.made) + " ns before and not told");
                }
            }
            proofs++;
        }

        @Override
        public long wallMillis() {
            return TimeSource.system().wallMillis();
        }

        @Override
        public long monotonicNanos() {
            long now = System.nanoTime();
            lastRead.set(now);
            return now;
        }

        @Override
        public boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
            return latch.await(nanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public Timer schedule(long nanos, Runnable task) {
            return TimeSource.system().schedule(nanos / HURRY, task);
        }
    }
}
