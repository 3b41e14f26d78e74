package io.stampedeguard.internal.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.internal.entry.Entry.Freshness;
import io.stampedeguard.internal.spi.LeaseToken;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Fresh until the soft expiry, stale until the hard one, and expired after it. */
final class EntryTest {
    @Test
    void isFreshUntilTheMillisecondBeforeItsSoftExpiry() {
        Entry entry = expiring(1_000, 2_000);

        assertThat(entry.freshnessAt(Long.MIN_VALUE)).isEqualTo(Freshness.FRESH);
        assertThat(entry.freshnessAt(999)).isEqualTo(Freshness.FRESH);
        assertThat(entry.freshnessAt(1_000)).isEqualTo(Freshness.STALE);
    }

    @Test
    void isStaleUntilTheMillisecondBeforeItsHardExpiry() {
        Entry entry = expiring(1_000, 2_000);

        assertThat(entry.freshnessAt(1_999)).isEqualTo(Freshness.STALE);
        assertThat(entry.freshnessAt(2_000)).isEqualTo(Freshness.EXPIRED);
        assertThat(entry.freshnessAt(Long.MAX_VALUE)).isEqualTo(Freshness.EXPIRED);
    }

    @Test
    void isNeverStaleIfBothExpiriesAreOne() {
        Entry entry = expiring(1_000, 1_000);

        assertThat(entry.freshnessAt(999)).isEqualTo(Freshness.FRESH);
        assertThat(entry.freshnessAt(1_000)).isEqualTo(Freshness.EXPIRED);
    }

    @Test
    void isNeverServedPastItsHardExpiryWhateverItsSoftExpirySays() {
        Entry entry = expiring(Long.MAX_VALUE, 2_000);

        assertThat(entry.freshnessAt(1_999)).isEqualTo(Freshness.FRESH);
        assertThat(entry.freshnessAt(2_000)).isEqualTo(Freshness.EXPIRED);
    }

    private static Entry expiring(long softMillis, long hardMillis) {
        return new Entry(
                LeaseToken.next(),
                false,
                0,
                softMillis,
                hardMillis,
                0,
                CodecIdentity.NONE,
                ByteBuffer.allocate(0),
                0,
                List.of());
    }
}
