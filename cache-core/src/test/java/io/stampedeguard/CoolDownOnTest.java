package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.Policies.withoutJitter;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.LoadTimeoutException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** After a failure that the policy takes for an answer of the origin, no key cools down. */
final class CoolDownOnTest {
    private static final CachePolicy POLICY = policy(failure -> !(failure instanceof NoSuchProduct));

    @AutoClose
    private final Fleet fleet = new Fleet(2, POLICY);

    private final NoSuchProduct answer = new NoSuchProduct();

    /** An answer of the origin. */
    private static final class NoSuchProduct extends Exception {
        private static final long serialVersionUID = 1;
    }

    private static CachePolicy policy(Predicate<Throwable> coolDownOn) {
        return withoutJitter(ofSeconds(10), ofSeconds(60))
                .leaseTtl(ofSeconds(60))
                .loadTimeout(ofSeconds(4))
                .failureCoolDown(ofSeconds(1))
                .coolDownOn(coolDownOn)
                .build();
    }

    private static boolean isFree(Fleet of) {
        return on(of.store()).lease("fleet:k", LeaseToken.next(), null, ofSeconds(1)) instanceof LeaseAttempt.Granted;
    }

    @ForEach
    void answerIsNotRememberedAndTheNextCallerLoads(FormOfGet form) throws Exception {
        fleet.origin().fail(answer);

        for (int process = 0; process < 2; process++) {
            assertThat(form.askOf(fleet, process).failure())
                    .isInstanceOf(LoadException.class)
                    .hasCause(answer);
        }

        assertThat(fleet.origin().reads()).isEqualTo(2);
        assertThat(fleet.store().count(Call.FAIL)).isZero();
        assertThat(fleet.listener().count(EventType.COOL_DOWN)).isZero();
        assertThat(fleet.listener().count(EventType.LOAD_FAILED)).isEqualTo(2L * form.keys());
        assertThat(isFree(fleet)).isTrue();
    }

    @ForEach
    void outageCoolsDown(FormOfGet form) throws Exception {
        fleet.origin().fail(new IOException("down"));

        assertThat(form.askOf(fleet, 0).failure()).isInstanceOf(LoadException.class);
        assertThat(form.askOf(fleet, 1).failure()).isInstanceOf(RecentLoadFailureException.class);

        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void callerInAnotherProcessIsWokenAndLoadsForItself(FormOfGet form) throws Exception {
        fleet.origin().fail(answer);
        Callers.Call<String> leader = fleet.loading(0, FormOfGet.KEY);
        Callers.Call<String> waits = form.askOf(fleet, 1);
        fleet.time().awaitWaiting(1);
        fleet.origin().fail(null);
        fleet.origin().open();

        assertThat(leader.failure()).isInstanceOf(LoadException.class).hasCause(answer);
        assertThat(waits.result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(2);
        assertThat(fleet.time().monotonicNanos()).as("nobody has polled").isZero();
    }

    @ForEach
    void callersThatWaitInTheProcessShareTheAnswer(FormOfGet form) throws Exception {
        fleet.origin().fail(answer);
        Callers.Call<String> leader = form.loadingOf(fleet, 0);
        List<Callers.Call<String>> followers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            followers.add(fleet.get(0, FormOfGet.KEY));
        }
        until(() -> fleet.cache(0).explain(FormOfGet.KEY).waiters() == 8);
        fleet.origin().open();

        assertThat(leader.failure()).hasCause(answer);
        for (Callers.Call<String> follower : followers) {
            assertThat(follower.failure()).isInstanceOf(LoadException.class).hasCause(answer);
        }
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void staleValueIsServedAndReloadedAgainAfterAMoment(FormOfGet form) throws Exception {
        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");
        fleet.origin().fail(answer);
        fleet.advance(ofSeconds(10));
        assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");
        until(() -> fleet.cache(0).reloading() == 0);

        for (int i = 0; i < 100; i++) {
            assertThat(form.askOf(fleet, 0).result()).isEqualTo("one");
        }
        assertThat(fleet.origin().reads()).as("it rests").isEqualTo(2);
        assertThat(fleet.cache(0).faults(FaultSource.LOADER)).isPositive();

        fleet.advance(POLICY.maxPollInterval());
        form.askOf(fleet, 0).result();
        until(() -> fleet.origin().reads() == 3);
    }

    @ForEach
    void onlySomeKeysOfAnOwnLoaderFail(boolean async) {
        AtomicInteger loads = new AtomicInteger();
        try (StampedeGuardedCache<String, String> products = fleet.builder("products")
                .loader(key -> {
                    loads.incrementAndGet();
                    return switch (key) {
                        case "none" -> throw answer;
                        case "down" -> throw new IOException("down");
                        default -> key + "'s";
                    };
                })
                .build()) {
            assertThat(failuresOf(products, async)).hasRootCause(answer);
            BulkLoadException again = failuresOf(products, async);

            assertThat(again.values()).isEqualTo(Map.of("a", "a's", "b", "b's"));
            assertThat(again.failures().get("none")).isInstanceOf(LoadException.class);
            assertThat(again.failures().get("down")).isInstanceOf(RecentLoadFailureException.class);
            assertThat(loads).hasValue(5);
        }
    }

    private static BulkLoadException failuresOf(StampedeGuardedCache<String, String> products, boolean async) {
        List<String> keys = List.of("a", "none", "down", "b");
        Throwable thrown = catchThrowableOfType(Exception.class, () -> {
            if (async) {
                Callers.result(products.getAllAsync(keys));
            } else {
                products.getAll(keys);
            }
        });
        Throwable failure = async ? thrown.getCause() : thrown;
        return (BulkLoadException) failure;
    }

    @ParameterizedTest
    @EnumSource(names = {"GET", "GET_ASYNC", "GET_ALL_OF_MANY"})
    void errorMayBeAnAnswerAsWell(FormOfGet form) {
        AssertionError error = new AssertionError("no such product");
        try (Fleet strict = new Fleet(1, policy(failure -> !(failure instanceof AssertionError)))) {
            strict.origin().fail(error);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> form.ask(strict.cache(0), strict.origin()))
                        .isSameAs(error);
            }
            assertThat(strict.origin().reads()).isEqualTo(2);
        }
    }

    @ForEach
    void answerEndsARowOfFailures(boolean isDown) {
        if (isDown) {
            fleet.store().refuse();
        }
        fail(new IOException("down"));
        fleet.advance(ofSeconds(1));
        fail(answer);
        fail(new IOException("down again"));

        assertThat(catchThrowableOfType(RecentLoadFailureException.class, () -> get(0))
                        .retryAfter())
                .isEqualTo(ofSeconds(1));
    }

    @Test
    void loadThatIsCutOffCoolsDownWhateverThePredicateSays() throws Exception {
        try (Fleet tolerant = new Fleet(2, policy(failure -> false))) {
            Callers.Call<String> leader = tolerant.loading(0, FormOfGet.KEY);
            tolerant.advance(ofSeconds(4));

            assertThat(leader.failure()).isInstanceOf(LoadTimeoutException.class);
            until(() -> tolerant.listener().count(EventType.COOL_DOWN) == 1);
            assertThat(tolerant.get(1, FormOfGet.KEY).failure()).isInstanceOf(RecentLoadFailureException.class);
        }
    }

    @ForEach
    void predicateThatThrowsIsLoggedAndTheKeyCoolsDown(FormOfGet form) throws Exception {
        AssertionError thrown = new AssertionError("thrown by the test");
        try (CapturedLog log = new CapturedLog();
                Fleet broken = new Fleet(2, policy(failure -> {
                    throw thrown;
                }))) {
            broken.origin().fail(answer);

            assertThat(form.askOf(broken, 0).failure())
                    .isInstanceOf(LoadException.class)
                    .hasCause(answer);
            assertThat(form.askOf(broken, 1).failure()).isInstanceOf(RecentLoadFailureException.class);

            assertThat(broken.listener().faults()).containsExactly(thrown);
            assertThat(broken.cache(0).faults(FaultSource.LOADER)).isEqualTo(1);
            assertThat(log.text()).contains("loader fault, the predicate of coolDownOn has failed for 'fleet:");
        }
    }

    @Test
    void fatalErrorOfThePredicateLeavesNoLeaseBehind() {
        try (Fleet broken = new Fleet(1, policy(failure -> {
            throw new InternalError("thrown by the test");
        }))) {
            broken.origin().fail(answer);

            assertThatThrownBy(() -> broken.cache(0).get(FormOfGet.KEY, broken.origin()::read))
                    .isInstanceOf(InternalError.class);

            until(() -> isFree(broken));
        }
    }

    @Test
    void predicateIsNotAskedWithoutCoolDowns() {
        CachePolicy eager = policy(failure -> {
                    throw new IllegalStateException("thrown by the test");
                })
                .toBuilder()
                .failureCoolDown(ZERO)
                .build();
        try (Fleet without = new Fleet(1, eager)) {
            without.origin().fail(answer);
            assertThatThrownBy(() -> without.cache(0).get(FormOfGet.KEY, without.origin()::read))
                    .hasCause(answer);
            assertThat(without.listener().faults()).isEmpty();
        }
    }

    private void fail(Exception failure) {
        fleet.origin().fail(failure);
        assertThatThrownBy(() -> get(0)).isInstanceOf(LoadException.class).hasCause(failure);
    }

    private String get(int process) {
        return fleet.cache(process).get(FormOfGet.KEY, fleet.origin()::read);
    }
}
