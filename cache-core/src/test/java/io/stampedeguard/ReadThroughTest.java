package io.stampedeguard;

import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.event.EventType;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The basic duties of a read-through cache. */
final class ReadThroughTest {
    private static final CachePolicy POLICY = withoutJitter(ofSeconds(10), ofSeconds(20))
            .negativeTtl(ofSeconds(3))
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    private final StampedeGuardedCache<String, String> cache = fleet.cache(0);

    @Test
    void missLoadsOnceAndTheWholeFleetHits() throws Exception {
        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("one");
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void hitIsOnePlainRead() {
        cache.put("k", "put");
        int readsBefore = fleet.store().count(Call.READ);

        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("put");

        assertThat(fleet.store().count(Call.READ) - readsBefore).isEqualTo(1);
        assertThat(fleet.store().count(Call.LEASE)).isZero();
        assertThat(fleet.origin().reads()).isZero();
    }

    @Test
    void loaderRunsOnTheCallersOwnThread() {
        Thread[] loading = new Thread[1];
        cache.get("k", key -> {
            loading[0] = Thread.currentThread();
            return "v";
        });
        assertThat(loading[0]).isSameAs(Thread.currentThread());
    }

    @Test
    void absenceIsRememberedForTheNegativeTtlAndThenAskedAgain() {
        fleet.origin().write(null);
        assertThat(cache.get("k", fleet.origin()::read)).isNull();
        fleet.advance(ofMillis(2_999));
        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isNull();
        assertThat(fleet.origin().reads()).isEqualTo(1);

        fleet.origin().write("created");
        fleet.advance(ofMillis(1));
        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("created");
        assertThat(fleet.listener().count(EventType.STORE_NEGATIVE)).isEqualTo(1);
    }

    @Test
    void absenceIsNotRememberedWithANegativeTtlOfZero() {
        try (Fleet forgetful =
                new Fleet(1, POLICY.toBuilder().negativeTtl(Duration.ZERO).build())) {
            forgetful.origin().write(null);
            assertThat(forgetful.cache(0).get("k", forgetful.origin()::read)).isNull();
            assertThat(forgetful.cache(0).get("k", forgetful.origin()::read)).isNull();

            assertThat(forgetful.origin().reads()).isEqualTo(2);
            assertThat(forgetful.store().count(Call.PASS))
                    .as("the lease given back; the second load had none")
                    .isEqualTo(1);
        }
    }

    @Test
    void putReplacesAbsence() {
        fleet.origin().write(null);
        cache.get("k", fleet.origin()::read);

        cache.put("k", "created");

        assertThat(fleet.cache(1).get("k", fleet.origin()::read)).isEqualTo("created");
    }

    @Test
    void cachesOfDifferentNamesShareAStoreWithoutMeeting() {
        SharedStore shared = InMemoryStore.create();
        StampedeGuardedCacheBuilder<String, String> a = StampedeGuardedCache.<String, String>builder("a");
        StampedeGuardedCacheBuilder<String, String> ab = StampedeGuardedCache.<String, String>builder("a.b");
        try (StampedeGuardedCache<String, String> one =
                        a.store(shared).codec(StringCodec.of()).build();
                StampedeGuardedCache<String, String> other =
                        ab.store(shared).codec(StringCodec.of()).build()) {
            one.put("b:k", "one's");
            other.put("k", "other's");

            assertThat(one.get("b:k", fleet.origin()::read)).isEqualTo("one's");
            assertThat(other.get("k", fleet.origin()::read)).isEqualTo("other's");
        }
    }

    @Test
    void valuesAreGoneAfterTheHardTtl() {
        cache.get("k", fleet.origin()::read);
        fleet.origin().write("two");
        fleet.advance(ofSeconds(20));

        assertThat(cache.get("k", fleet.origin()::read)).isEqualTo("two");
    }
}
