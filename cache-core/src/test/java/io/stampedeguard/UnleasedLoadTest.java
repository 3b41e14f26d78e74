package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A load whose value is not stored answers all callers of its process that came before it: they do not load in turn. */
final class UnleasedLoadTest {
    private static final int CALLERS = 20;
    private static final Call[] CHANGES =
            EnumSet.complementOf(EnumSet.of(Call.READ, Call.READ_ALL)).toArray(Call[]::new);
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofSeconds(2))
            .waitTimeout(ofSeconds(10))
            .build();

    @AutoClose
    private final Fleet fleet = new Fleet(1, POLICY);

    /** Lets all callers join the flight while its leader requests the lease. */
    private static List<Callers.Call<@Nullable String>> ask(Fleet fleet, FormOfGet form) {
        int before = requests(fleet);
        CountDownLatch request = new CountDownLatch(1);
        Runnable held = () -> Fleet.await(request);
        fleet.store().before(Call.LEASE, held).before(Call.LEASE_ALL, held);
        List<Callers.Call<@Nullable String>> calls = new ArrayList<>();
        calls.add(form.askOf(fleet, 0));
        until(() -> requests(fleet) > before);
        for (int i = 1; i < CALLERS; i++) {
            calls.add(form.askOf(fleet, 0));
        }
        until(() -> fleet.gauges(0).waiting() == CALLERS - 1);
        request.countDown();
        return calls;
    }

    private static int requests(Fleet fleet) {
        return fleet.store().count(Call.LEASE) + fleet.store().count(Call.LEASE_ALL);
    }

    private static void assertAllGet(String value, List<Callers.Call<@Nullable String>> calls) throws Exception {
        assertThat(Callers.results(calls)).containsOnly(value);
    }

    static Stream<Arguments> refusals() {
        return Arrays.stream(FormOfGet.values())
                .flatMap(form -> Stream.of(
                        Arguments.of(form, CHANGES),
                        Arguments.of(form, Call.values()),
                        Arguments.of(form, new Call[] {Call.PUBLISH, Call.PUBLISH_ALL})));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void storeThatRefusesCallsMeansOneLoadForAllCallers(FormOfGet form, Call[] refused) throws Exception {
        fleet.store().refuse(refused);

        assertAllGet("one", ask(fleet, form));
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void resultThatIsNotStoredMeansOneLoadForAllCallers(FormOfGet form) throws Exception {
        try (Fleet small = new Fleet(1, POLICY.toBuilder().maxPayloadBytes(2).build())) {
            form.askOf(small, 0).result(); // leaves the mark
            small.origin().write("two");

            assertAllGet("two", ask(small, form));

            assertThat(small.origin().reads()).isEqualTo(2);
        }
    }

    @ForEach
    void loadAnswersNoCallerThatComesAfterAChange(FormOfGet form) throws Exception {
        fleet.store().refuse(Call.LEASE, Call.LEASE_ALL);
        Callers.Call<@Nullable String> leader = form.loadingOf(fleet, 0);
        fleet.origin().write("two");
        on(fleet.store()).invalidate("fleet:k");
        Callers.Call<@Nullable String> other = form.askOf(fleet, 0);
        until(() -> fleet.gauges(0).waiting() == 1);

        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(other.result()).isEqualTo("two");
    }
}
