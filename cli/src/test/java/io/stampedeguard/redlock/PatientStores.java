package io.stampedeguard.redlock;

import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.List;

/** Stores of tests that are not about timeouts: none occurs, however busy the machine is. */
public final class PatientStores {
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    public static final RedisStoreOptions PATIENT =
            RedisStoreOptions.builder().commandTimeout(PATIENCE).build();

    private PatientStores() {}

    /** Creates a store like {@link RedlockStore#over}, but its lock servers may take longer than 250 ms to answer. */
    public static RedlockStore redlock(RedisStore values, List<RedisStore> servers) {
        return new RedlockStore(values, servers, TimeSource.system(), PATIENCE);
    }
}
