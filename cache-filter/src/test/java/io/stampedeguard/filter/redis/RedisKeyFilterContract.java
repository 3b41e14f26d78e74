package io.stampedeguard.filter.redis;

import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.testkit.KeyFilterContract;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What every key filter must do, on some Redis. */
abstract class RedisKeyFilterContract extends KeyFilterContract {
    protected abstract RedisStore store();

    @Override
    protected KeyFilter<Long> newFilter(long expectedKeys, double rate) {
        return RedisKeyFilter.<Long>builder("contract-" + LeaseToken.next(), store())
                .expectedKeys(expectedKeys)
                .falsePositiveRate(rate)
                .build();
    }

    @Override
    protected void rebuild(KeyFilter<Long> filter, Supplier<? extends Stream<Long>> keys) {
        ((RedisKeyFilter<Long>) filter).rebuild(keys);
    }
}
