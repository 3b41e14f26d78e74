package io.stampedeguard.filter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import io.stampedeguard.filter.FilterListener;
import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.filter.redis.FilterGeneration.FilterDesign;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.LogLines;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.RedisClient;

/** The copy is loaded in the background, if there is a thread for it. */
class FilterLoadTest {
    private static final HashIdentity HASH = HashIdentity.of(KeyHash.standard(), "");
    private static final FilterDesign DESIGN = FilterDesign.of(1_000, 0.01);

    private final String name = "load-" + LeaseToken.next();

    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, StackOverflowError.class, SecurityException.class})
    void loadForWhichNoThreadCouldBeStartedIsRepeatedLater(Class<? extends Throwable> failure) {
        AtomicBoolean shortage = new AtomicBoolean(true);
        BackgroundThreads threads = new BackgroundThreads(
                task -> {
                    if (shortage.get()) {
                        throw unchecked(failure);
                    }
                    return new Thread(task);
                },
                TimeSource.system());
        try (RedisStore store = RedisStore.connect(SharedRedis.uri(), SharedRedis.PATIENT);
                RedisKeyFilter<Long> filter = RedisKeyFilter.<Long>builder(name, store)
                        .expectedKeys(1_000)
                        .build();
                RedisClient client = SharedRedis.client()) {
            filter.rebuild(() -> Stream.of(1L));
            FilterCopy copy = new FilterCopy(DESIGN);
            FilterLoad load = load(client, copy, threads::tryToExecute);

            LogLines log = LogLines.of(load::request);
            assertThat(log.only("WARN")).contains("'" + name + "' has no complete copy");
            shortage.set(false);
            Fleet.until(() -> {
                load.request();
                return copy.isWhole();
            });
            load.close();
        } finally {
            threads.shutdownNow();
        }
    }

    /** Throws a new one of these, which is unchecked. */
    private static RuntimeException unchecked(Class<? extends Throwable> failure) {
        Throwable made = assertDoesNotThrow(
                () -> failure.getConstructor(String.class).newInstance("the thread was not started"));
        if (made instanceof Error error) {
            throw error;
        }
        return (RuntimeException) made;
    }

    private FilterLoad load(RedisClient client, FilterCopy copy, Predicate<Runnable> threads) {
        TimeSource time = TimeSource.system();
        return new FilterLoad(
                new FilterCommands(name, HASH, SharedRedis.parts(client, time)),
                copy,
                new FilterReports(name, "", new FilterListener() {}, () -> copy.state(false)),
                time,
                threads);
    }
}
