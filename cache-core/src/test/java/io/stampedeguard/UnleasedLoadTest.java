package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A load whose value is not stored answers all callers of its process that came before it: they do not load in turn. */
final class UnleasedLoadTest {
    private static final int CALLERS = 20;
    private static final Call[] CHANGES =
            EnumSet.complementOf(EnumSet.of(Call.READ, Call.READ_ALL)).toArray(Call[]::new);
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofSeconds(2))
            .waitTimeout(ofSeconds(10))
            .build();

    private final AtomicReference<@Nullable CacheGauges> gauges = new AtomicReference<>();
    private final CountDownLatch request = new CountDownLatch(1);
    private @Nullable Fleet opened;

    private Fleet fleet(CachePolicy policy) {
        Fleet fleet = new Fleet(
                1,
                policy,
                cache -> cache.listener(new CacheListener() {
                    @Override
                    public void onOpen(String name, CacheGauges of) {
                        gauges.set(of);
                    }
                }));
        opened = fleet;
        return fleet;
    }

    @AfterEach
    void close() {
        request.countDown();
        requireNonNull(opened).close();
    }

    /** Lets all callers join the flight while its leader requests the lease. */
    private List<Callers.Call<@Nullable String>> ask(Fleet fleet, FormOfGet form) {
        int before = requests(fleet);
        Runnable held = () -> await(request);
        fleet.store().before(Call.LEASE, held).before(Call.LEASE_ALL, held);
        List<Callers.Call<@Nullable String>> calls = new ArrayList<>();
        calls.add(form.askOf(fleet, 0));
        until(() -> requests(fleet) > before);
        for (int i = 1; i < CALLERS; i++) {
            calls.add(form.askOf(fleet, 0));
        }
        until(() -> requireNonNull(gauges.get()).waiting() == CALLERS - 1);
        request.countDown();
        return calls;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static int requests(Fleet fleet) {
        return fleet.store().count(Call.LEASE) + fleet.store().count(Call.LEASE_ALL);
    }

    private static void assertAllGet(String value, List<Callers.Call<@Nullable String>> calls) throws Exception {
        for (Callers.Call<@Nullable String> call : calls) {
            assertThat(call.result()).isEqualTo(value);
        }
    }

    @ParameterizedTest
    @EnumSource
    void storeThatReadsAndRefusesChangesMeansOneLoadForAllCallers(FormOfGet form) throws Exception {
        Fleet fleet = fleet(POLICY);
        fleet.store().refuse(CHANGES);

        assertAllGet("one", ask(fleet, form));

        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void resultThatIsNotStoredMeansOneLoadForAllCallers(FormOfGet form) throws Exception {
        Fleet fleet = fleet(POLICY.toBuilder().maxPayloadBytes(2).build());
        form.askOf(fleet, 0).result(); // leaves the mark
        fleet.origin().write("two");

        assertAllGet("two", ask(fleet, form));

        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void publicationWithoutAnAnswerMeansOneLoadForAllCallers(FormOfGet form) throws Exception {
        Fleet fleet = fleet(POLICY);
        fleet.store().refuse(Call.PUBLISH, Call.PUBLISH_ALL);

        assertAllGet("one", ask(fleet, form));

        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void callersThatComeAfterAChangeDuringTheLoadAreNotAnsweredByIt(FormOfGet form) throws Exception {
        Fleet fleet = fleet(POLICY);
        fleet.store().refuse(Call.LEASE, Call.LEASE_ALL);
        fleet.origin().close();
        Callers.Call<@Nullable String> leader = form.askOf(fleet, 0);
        until(() -> fleet.origin().running() == 1);
        fleet.origin().write("two");
        on(fleet.store()).invalidate("fleet:k");
        Callers.Call<@Nullable String> other = form.askOf(fleet, 0);
        until(() -> requireNonNull(gauges.get()).waiting() == 1);

        fleet.origin().open();

        assertThat(leader.result()).isEqualTo("one");
        assertThat(other.result()).isEqualTo("two");
    }
}
