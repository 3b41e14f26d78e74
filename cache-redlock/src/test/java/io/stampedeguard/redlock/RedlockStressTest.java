package io.stampedeguard.redlock;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Eight threads of four processes compete for one lock of five servers, while up to two of those die or stall, never
 * more per round. The lock lives longer than any hold, so its end affects no holder; the speed of the machine makes no
 * difference.
 */
class RedlockStressTest {
    private static final int THREADS = 8;
    private static final int PROCESSES = 4;
    private static final int SERVERS = 5;
    private static final int ROUNDS = 8;
    private static final int TURNS = 5;
    private static final Duration TTL = Duration.ofSeconds(20);
    private static final Duration PATIENCE = Duration.ofMillis(200);

    private final LockServerProcesses servers = new LockServerProcesses(SERVERS);
    private final Callers callers = new Callers();
    private final AtomicInteger holders = new AtomicInteger();
    private final AtomicInteger mostHolders = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();

    @AfterEach
    void stop() {
        callers.close();
        servers.close();
    }

    @Test
    void neverTwoHoldWhateverHappensToAMinority() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<QuorumLocks> processes = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            List<RedisStore> connected = servers.lockStores(Duration.ofSeconds(1));
            processes.add(
                    new QuorumLocks(new LockServers(QuorumStore.lockStores(connected), TimeSource.system(), PATIENCE)));
        }
        for (int round = 0; round < ROUNDS; round++) {
            AtomicBoolean over = new AtomicBoolean();
            List<RedisProcess> victims = victims(random);
            long disorder = random.nextLong();
            Callers.Call<Void> trouble = callers.call(() -> makeTrouble(victims, new Random(disorder), over));
            String key = "stress:" + round;
            List<Callers.Call<Void>> calls = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                QuorumLocks locks = processes.get(i % PROCESSES);
                long own = random.nextLong();
                calls.add(callers.call(() -> takeTurns(locks, key, new Random(own))));
            }
            for (Callers.Call<Void> call : calls) {
                call.result();
            }
            over.set(true);
            trouble.result();
        }
        assertThat(mostHolders.get()).as("seed %d", seed).isEqualTo(1);
        assertThat(refusals.get())
                .as("nobody was in anybody's way: seed %d", seed)
                .isPositive();
    }

    private List<RedisProcess> victims(Random random) {
        List<RedisProcess> all = new ArrayList<>();
        for (int i = 0; i < SERVERS; i++) {
            all.add(servers.server(i));
        }
        Collections.shuffle(all, random);
        return all.subList(0, random.nextInt(SERVERS / 2 + 1));
    }

    /** A server that is killed returns, empty, only when no lock is held: otherwise it would vote twice. */
    private static Void makeTrouble(List<RedisProcess> victims, Random random, AtomicBoolean over) throws Exception {
        List<RedisProcess> dead = new ArrayList<>();
        while (!over.get()) {
            for (RedisProcess victim : victims) {
                if (!dead.contains(victim)) {
                    victim.pause();
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(300));
                    if (random.nextInt(4) == 0) {
                        victim.kill();
                        dead.add(victim);
                    } else {
                        victim.resume();
                    }
                }
                TimeUnit.MILLISECONDS.sleep(random.nextInt(50));
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
        dead.forEach(RedisProcess::restart);
        return null;
    }

    private Void takeTurns(QuorumLocks locks, String key, Random random) throws Exception {
        int turns = 0;
        while (turns < TURNS) {
            List<HeldLease> lock = List.of(new HeldLease(key, LeaseToken.next()));
            if (requireNonNull(locks.lockAll(lock, TTL).get(key)).isCarried()) {
                mostHolders.accumulateAndGet(holders.incrementAndGet(), Math::max);
                TimeUnit.MICROSECONDS.sleep(random.nextInt(1_000));
                holders.decrementAndGet();
                turns++;
            } else {
                refusals.incrementAndGet();
            }
            locks.releaseAll(lock);
            TimeUnit.MICROSECONDS.sleep(random.nextInt(10_000));
        }
        return null;
    }
}
