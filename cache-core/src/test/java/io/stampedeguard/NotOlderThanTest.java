package io.stampedeguard;

import static io.stampedeguard.testkit.Callers.result;
import static io.stampedeguard.testkit.Fleet.until;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What is cached is an answer only if its load began within the given time; if it did not, the caller waits for a load. */
final class NotOlderThanTest {
    private static final Duration BOUND = ofSeconds(10);

    private static final CachePolicy POLICY = CachePolicy.builder()
            .softTtl(ofSeconds(60))
            .hardTtl(ofSeconds(120))
            .negativeTtl(ofSeconds(60))
            .waitTimeout(ofSeconds(10))
            .leaseTtl(ofSeconds(20)) // no renewal has to keep up with the clock
            .earlyRefresh(0)
            .jitter(0)
            .build();

    @AutoClose
    private Fleet fleet = new Fleet(3, POLICY);

    private void use(Fleet other) {
        fleet.close();
        fleet = other;
    }

    /** The forms of the call. */
    enum Form {
        SYNC {
            @Override
            @Nullable
            String get(Fleet fleet, Duration maxAge) {
                return fleet.cache(0).getNotOlderThan("k", maxAge, fleet.origin()::read);
            }
        },
        OWN_LOADER {
            @Override
            @Nullable
            String get(Fleet fleet, Duration maxAge) {
                return fleet.cache(0).getNotOlderThan("k", maxAge);
            }
        },
        ASYNC {
            @Override
            @Nullable
            String get(Fleet fleet, Duration maxAge) throws Exception {
                return result(fleet.cache(0).getNotOlderThanAsync("k", maxAge, key -> {
                    try {
                        return CompletableFuture.completedFuture(fleet.origin().read(key));
                    } catch (Exception e) {
                        return CompletableFuture.failedFuture(e);
                    }
                }));
            }
        },
        ASYNC_OWN_LOADER {
            @Override
            @Nullable
            String get(Fleet fleet, Duration maxAge) throws Exception {
                return result(fleet.cache(0).getNotOlderThanAsync("k", maxAge));
            }
        };

        abstract @Nullable String get(Fleet fleet, Duration maxAge) throws Exception;
    }

    private String get(int process) {
        return fleet.cache(process).get("k", fleet.origin()::read);
    }

    private @Nullable String bounded(Duration maxAge) {
        return fleet.cache(0).getNotOlderThan("k", maxAge, fleet.origin()::read);
    }

    @ForEach
    void youngValueIsAnAnswerAndAnOlderOneIsReplaced(Form form) throws Exception {
        get(1);
        fleet.origin().write("two");
        fleet.advance(BOUND.minus(ofMillis(2)));
        assertThat(form.get(fleet, BOUND)).isEqualTo("one");
        fleet.advance(ofMillis(2));
        assertThat(form.get(fleet, BOUND)).isEqualTo("two");

        assertThat(get(1)).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
        assertThat(fleet.listener().count(AnswerSource.STORE))
                .as("both are reads")
                .isEqualTo(2);
    }

    @ForEach
    void zeroIsPastEverythingThatIsCached(Form form) throws Exception {
        use(Fleet.near(3, POLICY));
        get(0);
        fleet.origin().write("two");
        assertThat(form.get(fleet, ZERO)).isEqualTo("two");
        assertThat(get(0)).isEqualTo("two");
    }

    @Test
    void keyThatIsNotCachedIsLoadedOnce() {
        assertThat(bounded(BOUND)).isEqualTo("one");
        assertThat(bounded(BOUND)).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void ageCountsFromTheBeginningOfTheLoad() {
        fleet.cache(1).get("k", key -> {
            fleet.advance(ofSeconds(8));
            return "slow";
        });
        fleet.advance(ofSeconds(3));
        assertThat(bounded(ofSeconds(12))).isEqualTo("slow");
        assertThat(bounded(BOUND)).isEqualTo("one");
    }

    @Test
    void copyInTheProcessIsPassed() throws Exception {
        use(Fleet.near(3, POLICY));
        get(0);
        fleet.advance(BOUND);
        fleet.origin().write("two");
        result(fleet.cache(1).refresh("k"));
        assertThat(get(0)).as("the copy stays").isEqualTo("one");

        assertThat(bounded(BOUND)).isEqualTo("two");
        assertThat(get(0)).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @Test
    void valueThatWasExpiredByHandIsNoAnswer() {
        get(1);
        fleet.origin().write("two");
        fleet.cache(1).expire("k");
        assertThat(bounded(BOUND)).isEqualTo("two");
    }

    @Test
    void absenceHasAnAgeAsWell() {
        fleet.cache(1).put("k", LoadedValue.absent());
        assertThat(bounded(BOUND)).isNull();
        fleet.advance(BOUND);
        assertThat(bounded(BOUND)).isEqualTo("one");
    }

    @Test
    void othersAreAnsweredMeanwhile() throws Exception {
        get(0);
        fleet.origin().close();
        fleet.origin().write("two");
        Callers.Call<String> waiting = fleet.callers().call(() -> bounded(ZERO));
        until(() -> fleet.origin().running() == 1);

        assertThat(get(0)).isEqualTo("one");
        assertThat(get(1)).isEqualTo("one");
        fleet.origin().open();
        assertThat(waiting.result()).isEqualTo("two");
    }

    /** It began before the call, which is soon enough for some. */
    @ForEach
    void loadInProgressIsAnAnswerIfItBeganWithinTheBound(boolean isInThisProcess) throws Exception {
        Callers.Call<String> before = fleet.loading(isInThisProcess ? 0 : 1, "k");
        fleet.origin().write("two");
        fleet.advance(ofSeconds(1));
        Callers.Call<String> young = fleet.callers().call(() -> bounded(BOUND));
        until(() -> fleet.gauges(0).waiting() == 1);
        fleet.origin().open();

        assertThat(before.result()).isEqualTo("one");
        fleet.advanceUntil(young::isOver, ofMillis(10));
        assertThat(young.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void loadInProgressThatBeganTooEarlyIsNoAnswer(boolean isInThisProcess) throws Exception {
        Callers.Call<String> before = fleet.loading(isInThisProcess ? 0 : 1, "k");
        fleet.origin().write("two");
        fleet.advance(ofSeconds(1));
        Callers.Call<String> strict = fleet.callers().call(() -> bounded(ofMillis(500)));
        until(() -> fleet.gauges(0).waiting() == 1);
        fleet.origin().open();

        assertThat(before.result()).isEqualTo("one");
        fleet.advanceUntil(strict::isOver, ofMillis(10));
        assertThat(strict.result()).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @Test
    void callersOfOneProcessShareALoad() throws Exception {
        get(0);
        fleet.advance(BOUND);
        CountDownLatch mayLoad = new CountDownLatch(1);
        Callers.Call<String> first = fleet.callers()
                .call(() -> fleet.cache(0).getNotOlderThan("k", BOUND, key -> {
                    Fleet.await(mayLoad);
                    return "two";
                }));
        until(() -> fleet.store().count(Call.LEASE) == 2);
        Callers.Call<String> second = fleet.callers().call(() -> bounded(BOUND));
        until(() -> fleet.gauges(0).waiting() == 1);
        mayLoad.countDown();

        assertThat(first.result()).isEqualTo("two");
        assertThat(second.result()).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void onlyTheOriginAnswersWhileTheStoreIsDown() {
        use(Fleet.near(3, POLICY));
        get(0);
        fleet.origin().write("two");
        fleet.store().refuse();
        assertThat(bounded(BOUND)).isEqualTo("two");

        fleet.origin().fail(new IOException("origin"));
        assertThatThrownBy(() -> bounded(BOUND)).isInstanceOf(LoadException.class);
        assertThat(get(0)).as("kept in this process").isEqualTo("two");
    }

    @Test
    void longestBoundIsAnyAgeOfAFreshValue() {
        get(1);
        fleet.advance(ofSeconds(59));
        assertThat(bounded(ofSeconds(Long.MAX_VALUE))).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void negativeBoundIsRefused() {
        assertThatThrownBy(() -> bounded(ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cache 'fleet': maxAge PT-0.001S is negative");
        assertThatThrownBy(() -> fleet.cache(0).getNotOlderThanAsync("k", ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
