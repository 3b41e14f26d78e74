package io.stampedeguard.redis.history;

import io.stampedeguard.redis.Topologies;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.topology.RedisSentinels;
import io.stampedeguard.testkit.HistoryChecker.Loss;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import redis.clients.jedis.Jedis;

/** The Redis of a run, which may end, and come back or be succeeded by another server. For one thread. */
interface HistoryRedis {
    /** Long enough for some changes of each cache. */
    long LOST_MILLIS = 1_000;

    /** Long enough for callers who have no answer. */
    long GONE_MILLIS = 200;

    String uri();

    /**
     * Kills it, and returns when its successor answers; with what that may have lost, if it is anything that was promised.
     *
     * @param places draws the next place in the order of all begins and ends
     */
    Optional<Loss> end(LongSupplier places) throws InterruptedException;

    /** Returns a server that lives as long as the run. */
    static HistoryRedis lasting(RedisServer server) {
        return new HistoryRedis() {
            @Override
            public String uri() {
                return server.uri();
            }

            @Override
            public Optional<Loss> end(LongSupplier places) {
                throw new UnsupportedOperationException("this run has no outages");
            }
        };
    }

    /**
     * A server that starts again: with what it remembers by its own settings, or with what it had a while before.
     *
     * @param server the server
     * @param isRestored whether it begins with an older snapshot
     */
    record Restarting(RedisProcess server, boolean isRestored) implements HistoryRedis {
        @Override
        public String uri() {
            return server.uri();
        }

        @Override
        public Optional<Loss> end(LongSupplier places) throws InterruptedException {
            long kept = places.getAsLong();
            if (isRestored) {
                try (Jedis admin = PlainRedis.admin(uri())) {
                    admin.save();
                }
                TimeUnit.MILLISECONDS.sleep(LOST_MILLIS);
            }
            long begin = places.getAsLong();
            server.kill();
            Loss loss = new Loss(kept, begin, places.getAsLong());
            TimeUnit.MILLISECONDS.sleep(GONE_MILLIS);
            server.restart();
            return isRestored ? Optional.of(loss) : Optional.empty();
        }
    }

    /**
     * A master that is succeeded by a replica that has not received the latest changes.
     *
     * @param sentinels who decide that
     */
    record Succeeded(RedisSentinels sentinels) implements HistoryRedis {
        @Override
        public String uri() {
            return Topologies.uri(sentinels);
        }

        @Override
        public Optional<Loss> end(LongSupplier places) throws InterruptedException {
            RedisProcess master = sentinels.master();
            long kept = places.getAsLong();
            sentinels.stopReplication();
            TimeUnit.MILLISECONDS.sleep(LOST_MILLIS);
            long begin = places.getAsLong();
            master.kill();
            Loss loss = new Loss(kept, begin, places.getAsLong());
            sentinels.permitReplication();
            sentinels.awaitFailoverFrom(master);
            return Optional.of(loss);
        }
    }
}
