package io.stampedeguard;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Fleet;
import java.util.Arrays;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Damaged or foreign bytes under a key are a miss, counted, and repaired by the next load. */
final class DamagedEntryTest {
    @AutoClose
    private final Fleet fleet = new Fleet(1, CachePolicy.defaults());

    @Test
    void foreignBytesOfAnyLengthAreReplaced() {
        for (int length : new int[] {0, 1, 15, 16, 17, 49, 50, 51, 1_000}) {
            String key = "k" + length;
            byte[] foreign = new byte[length];
            Arrays.fill(foreign, (byte) '!');
            on(fleet.store()).put("fleet:" + key, foreign, ofSeconds(60));

            assertThat(fleet.cache(0).get(key, fleet.origin()::read)).isEqualTo("one");
            assertThat(fleet.cache(0).get(key, fleet.origin()::read)).isEqualTo("one");
        }
        assertThat(fleet.origin().reads()).isEqualTo(9);
        assertThat(fleet.listener().count(EventType.STORE_DAMAGED)).isEqualTo(9);
    }

    @Test
    void entryDamagedInItsPayloadIsReplaced() {
        fleet.cache(0).put("k", "a value of some length");
        byte[] stored = on(fleet.store()).read("fleet:k").clone();
        stored[stored.length - 1] ^= 1;
        on(fleet.store()).put("fleet:k", stored, ofSeconds(60));

        assertThat(fleet.cache(0).get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(fleet.cache(0).get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }
}
