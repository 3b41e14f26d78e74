package io.stampedeguard.redis;

import io.stampedeguard.redis.internal.connect.JedisVersion;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.NativeImageContract;
import io.stampedeguard.testkit.NativeImageMetadata;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

final class NativeImageTest extends NativeImageContract {
    private static final NativeImageMetadata METADATA =
            NativeImageMetadata.of("redis", RedisStore.class, Set.of(), Connection.class);

    NativeImageTest() {
        super(METADATA);
    }

    @Test
    void programForANativeImageWorks() throws Exception {
        try (RedisProcess redis = RedisServer.startProcess()) {
            NativeProgram.main(new String[] {redis.uri()});
        }
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
