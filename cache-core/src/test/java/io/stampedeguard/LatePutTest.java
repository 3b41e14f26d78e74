package io.stampedeguard;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.NearCacheOptions;
import io.stampedeguard.policy.StoreFailureMode;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedCodec;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** P2: a put during which its process stands still does not bring back what another process has invalidated meanwhile. */
final class LatePutTest {
    private static final Runnable NOTHING = () -> {};

    private final AtomicReference<Runnable> whileEncoding = new AtomicReference<>(NOTHING);

    @AutoClose
    private Fleet fleet;

    private void open(StoreFailureMode mode, boolean near) {
        ScriptedCodec codec =
                ScriptedCodec.encoding(value -> whileEncoding.getAndSet(NOTHING).run());
        NearCacheOptions options = NearCacheOptions.builder().maximumSize(100).build();
        fleet = new Fleet(
                2,
                CachePolicy.builder().onStoreFailure(mode).build(),
                builder -> near ? builder.codec(codec).nearCache(options) : builder.codec(codec));
    }

    /** The process stands still for so long, while another one changes the row. */
    private void standStill(int seconds) {
        whileEncoding.set(() -> {
            fleet.origin().write("two");
            fleet.cache(1).invalidate("k");
            fleet.advance(ofSeconds(seconds));
        });
    }

    private void assertAllGet(String value) {
        for (int process = 0; process < 2; process++) {
            assertThat(fleet.cache(process).get("k", fleet.origin()::read)).isEqualTo(value);
        }
    }

    @ForEach
    void aPutThatStandsStillStoresNothing(boolean near) {
        open(StoreFailureMode.QUEUE, near);
        standStill(3);

        fleet.cache(0).put("k", "one");

        assertThat(on(fleet.store()).read("fleet:k")).isNull();
        assertAllGet("two");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void itsCallerIsToldIfItWishes(boolean near) {
        open(StoreFailureMode.THROW, near);
        standStill(3);

        assertThatThrownBy(() -> fleet.cache(0).put("k", "one"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("took too long");

        assertAllGet("two");
    }

    @ForEach
    void itsValueAnswersNobodyWhileTheStoreDoesNotAnswer(boolean refusesThePut) {
        open(StoreFailureMode.QUEUE, false);
        whileEncoding.set(() -> {
            fleet.origin().write("two");
            fleet.cache(0).invalidate("k");
            fleet.advance(ofSeconds(3));
            if (!refusesThePut) {
                fleet.store().refuse();
            }
        });

        fleet.cache(0).put("k", "one");
        fleet.store().refuse();

        assertThat(fleet.cache(0).get("k", fleet.origin()::read)).isEqualTo("two");
    }

    @Test
    void aPutThatTakesALittleTimeIsStored() {
        open(StoreFailureMode.THROW, false);
        whileEncoding.set(() -> fleet.advance(ofSeconds(1)));

        fleet.cache(0).put("k", "one");

        assertAllGet("one");
        assertThat(fleet.origin().reads()).isZero();
    }
}
