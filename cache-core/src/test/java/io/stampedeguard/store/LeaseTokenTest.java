package io.stampedeguard.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.LeaseToken;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** No two attempts have the same token, not even in processes restored from one snapshot. */
final class LeaseTokenTest {
    @Test
    void eachTokenHasRandomBitsOfItsOwn() {
        Set<Long> random = IntStream.range(0, 10_000)
                .mapToObj(i -> LeaseToken.next().random())
                .collect(Collectors.toSet());

        assertThat(random).hasSize(10_000);
    }

    @Test
    void tokenIsWhatItsBytesSay() {
        LeaseToken token = LeaseToken.next();

        assertThat(LeaseToken.startOf(token.toBytes())).isEqualTo(token);
        assertThat(token.toBytes()).hasSize(LeaseToken.BYTES);
    }
}
