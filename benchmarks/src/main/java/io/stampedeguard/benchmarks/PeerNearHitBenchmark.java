package io.stampedeguard.benchmarks;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.testbed.RedisServer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Workload W1 for any peer that serves hits from the process, with keys that are strings; as {@link NearHitBenchmark}. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class PeerNearHitBenchmark {
    private static final String VALUE = "v".repeat(100);
    private static final Peer.Load NO_LOAD = key -> {
        throw new IllegalStateException("not a hit: " + key);
    };

    /** An open peer that has all keys in the process. */
    @State(Scope.Benchmark)
    public static class Opened {
        /** Its name. */
        @Param("guarded-near")
        public String peer = "guarded-near";

        private List<String> keys = List.of();
        private RedisServer redis;
        private Peer cache;

        /** Starts a server, fills the cache, and checks that hits do not reach the server. */
        @Setup
        public void start(NearHitBenchmark.Keys all) throws Exception {
            keys = all.texts();
            redis = RedisServer.start();
            cache = Peers.named(peer).open(redis.uri(), PeerOptions.usual());
            cache.getAll(keys, key -> VALUE);
            NearHitBenchmark.requireNear(redis.uri(), this::readAll);
        }

        private void readAll() {
            try {
                cache.getAll(keys, NO_LOAD);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        /** Closes the cache and the server. */
        @TearDown
        public void close() {
            cache.close();
            redis.close();
        }
    }

    /** A hit in the process. */
    @Benchmark
    public @Nullable String hit(Opened opened, NearHitBenchmark.Cursor cursor) throws Exception {
        return opened.cache.get(opened.keys.get(cursor.next()), NO_LOAD);
    }
}
