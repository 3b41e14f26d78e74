package io.stampedeguard.redis;

import io.stampedeguard.redis.internal.connect.JedisVersion;
import io.stampedeguard.testkit.NativeImageContract;
import io.stampedeguard.testkit.NativeImageMetadata;
import java.util.Set;
import java.util.concurrent.Callable;

final class NativeImageTest extends NativeImageContract {
    private static final NativeImageMetadata METADATA =
            NativeImageMetadata.of("redis", RedisStore.class, Set.of(), Connection.class);

    NativeImageTest() {
        super(METADATA);
    }

    /** What a connection reads, besides the scripts, which are read when their classes are initialized. */
    public static final class Connection implements Callable<Set<String>> {
        @Override
        public Set<String> call() {
            JedisVersion.check();
            return Set.of();
        }
    }
}
