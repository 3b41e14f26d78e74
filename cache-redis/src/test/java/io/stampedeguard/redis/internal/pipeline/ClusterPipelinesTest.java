package io.stampedeguard.redis.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.redis.SharedCluster;
import io.stampedeguard.redis.Topologies;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.Breakers;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForwardingTime;
import io.stampedeguard.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.args.Rawable;

@ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClusterPipelinesTest {
    private final CountDownLatch helped = new CountDownLatch(1);
    private final CountDownLatch callerWaits = new CountDownLatch(1);

    @Test
    void callerDoesNotWaitForAHelperThatHasDied() throws Exception {
        try (RedisClusterClient client = Topologies.client(SharedCluster.get())) {
            TimeSource time = new OneTimer();
            BackgroundThreads threads = new BackgroundThreads("pipelines-test", TimeSource.system());
            Breakers breakers = new Breakers(Duration.ofMinutes(1), key -> null, threads, TimeSource.system());
            Pipelines pipelines = Pipelines.of(client, ClientConnections.of(client), breakers, threads, time);
            FutureTask<List<Reply>> call = new FutureTask<>(() -> pipelines.send(heldUp()));
            Thread caller = new Thread(call, "caller");
            caller.setDaemon(true);
            caller.start();
            Fleet.await(helped);
            Fleet.until(() -> inUse(client) == 1 && isWaiting(caller)); // the helper's

            callerWaits.countDown();

            assertThatThrownBy(() -> call.get(1, TimeUnit.MINUTES)).hasCauseInstanceOf(NoMemoryAtAll.class);
            assertThat(inUse(client)).isZero();
        }
    }

    private static int inUse(RedisClusterClient client) {
        return client.getClusterNodes().values().stream()
                .mapToInt(ConnectionPool::getNumActive)
                .sum();
    }

    private static boolean isWaiting(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    /** Returns reads of all masters. */
    private List<CommandArguments> heldUp() {
        return IntStream.range(0, 30)
                .<CommandArguments>mapToObj(
                        number -> new HeldUp().key(("pipelines:" + number).getBytes(StandardCharsets.US_ASCII)))
                .toList();
    }

    /** Arguments that the caller sends when another thread helps it, which dies of that when nobody else has anything to do. */
    private final class HeldUp extends CommandArguments {
        HeldUp() {
            super(Protocol.Command.GET);
        }

        @Override
        public Iterator<Rawable> iterator() {
            if (Thread.currentThread().getName().equals("caller")) {
                Fleet.await(helped);
            } else {
                helped.countDown();
                Fleet.await(callerWaits);
                throw new NoMemoryAtAll();
            }
            return super.iterator();
        }
    }

    /** An error of which no other exception can be made, at first. */
    private static final class NoMemoryAtAll extends OutOfMemoryError {
        private static final long serialVersionUID = 1;

        private final AtomicBoolean isTold = new AtomicBoolean();

        NoMemoryAtAll() {
            super("so the test wants it");
        }

        @Override
        public String toString() {
            if (isTold.compareAndSet(false, true)) {
                throw this;
            }
            return super.toString();
        }
    }

    /** The clocks of the machine, with memory for a single timer: only one thread helps. */
    private static final class OneTimer extends ForwardingTime {
        private final AtomicBoolean isSet = new AtomicBoolean();

        OneTimer() {
            super(TimeSource.system());
        }

        @Override
        public Timer schedule(long nanos, Runnable task) {
            if (!isSet.compareAndSet(false, true)) {
                throw new OutOfMemoryError("so the test wants it");
            }
            return super.schedule(nanos, task);
        }
    }
}
