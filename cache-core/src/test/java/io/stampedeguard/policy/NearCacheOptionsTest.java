package io.stampedeguard.policy;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Options of the near cache are kept; invalid ones are rejected with a message that names the option and its value. */
final class NearCacheOptionsTest {
    private static final NearCacheOptions UNUSUAL = NearCacheOptions.builder()
            .maximumBytes(4_096)
            .maxStaleness(ofSeconds(5))
            .build();

    @Test
    void optionsAreKept() {
        assertThat(UNUSUAL).hasToString("NearCacheOptions[maximumBytes=4096, maxStaleness=PT5S]");
        assertThat(UNUSUAL.toBuilder().build()).usingRecursiveComparison().isEqualTo(UNUSUAL);
    }

    @Test
    void boundOfDerivedOptionsReplacesTheInheritedOne() {
        assertThat(UNUSUAL.toBuilder().maximumSize(50).build())
                .hasToString("NearCacheOptions[maximumSize=50, maxStaleness=PT5S]");
    }

    @Test
    void oneBoundIsRequired() {
        assertThatThrownBy(() -> NearCacheOptions.builder().build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the near cache has no bound: set maximumSize or maximumBytes");
        assertRefused(near -> near.maximumSize(10).maximumBytes(20), "maximumSize 10 and maximumBytes 20 are both set");
    }

    @Test
    void optionOutOfRangeIsRefused() {
        assertRefused(near -> near.maximumSize(0), "maximumSize 0 is less than 1");
        assertRefused(
                near -> near.maximumSize(1).maxStaleness(ofMillis(99)), "maxStaleness PT0.099S is shorter than PT0.1S");
        assertRefused(
                near -> near.maximumSize(1).maxStaleness(ofHours(1).plusMillis(1)),
                "maxStaleness PT1H0.001S is longer than PT1H");
    }

    private static void assertRefused(Consumer<NearCacheOptionsBuilder> setting, String complaint) {
        NearCacheOptionsBuilder builder = NearCacheOptions.builder();
        setting.accept(builder);

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(complaint);
    }
}
