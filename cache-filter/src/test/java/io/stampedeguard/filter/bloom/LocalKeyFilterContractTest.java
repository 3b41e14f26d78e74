package io.stampedeguard.filter.bloom;

import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.testkit.KeyFilterContract;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The filter of one process fulfills the contract of all filters. */
final class LocalKeyFilterContractTest extends KeyFilterContract {
    @Override
    protected KeyFilter<Long> newFilter(long expectedKeys, double rate) {
        return LocalKeyFilter.<Long>builder("rows")
                .expectedKeys(expectedKeys)
                .falsePositiveRate(rate)
                .build();
    }

    @Override
    protected void rebuild(KeyFilter<Long> filter, Supplier<? extends Stream<Long>> keys) {
        ((LocalKeyFilter<Long>) filter).rebuild(keys);
    }
}
