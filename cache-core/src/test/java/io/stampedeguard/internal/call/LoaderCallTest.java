package io.stampedeguard.internal.call;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.call.LoadPermits.Permit;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.testkit.VirtualTime;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A call of a loader ends once, even if several threads end it at the same time. */
final class LoaderCallTest {
    private final VirtualTime time = new VirtualTime();
    private final LoadPermits permits = LoadPermitsTest.permits(1, time);
    private final OriginGuard guard = LoadPermitsTest.guard(permits, time);
    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    private static List<LoadedValue<String>> value() {
        return List.of(LoadedValue.of("value"));
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    @Test
    void eitherCutOffOrReturnWinsAndLeavesNoInterrupt() throws Exception {
        race(2_000);
    }

    @Test
    @Tag("proof")
    void eitherCutOffOrReturnWinsEachOfManyRaces() throws Exception {
        race(100_000);
    }

    private void race(int rounds) throws Exception {
        int cutOff = 0;
        for (int round = 0; round < rounds; round++) {
            Permit permit = permits.tryAcquire();
            assertThat(permit)
                    .as("round %d: one permit, no more, no less", round)
                    .isNotNull();
            assertThat(permits.tryAcquire()).as("round %d", round).isNull();
            LoaderCall<String> call =
                    new LoaderCall<>(LoaderCallTest::value, requireNonNull(permit), permits, guard.call(1), time);
            CountDownLatch go = new CountDownLatch(1);
            Callable<Boolean> runs = () -> {
                go.await();
                call.run();
                return Thread.interrupted();
            };
            Callable<Boolean> cuts = () -> {
                go.await();
                boolean won = call.cutOff();
                call.countIfStuck();
                return won;
            };
            boolean cutsFirst = round % 2 == 0; // on a single free core, the first to wait is the first to continue
            Future<Boolean> first = threads.submit(cutsFirst ? cuts : runs);
            Future<Boolean> second = threads.submit(cutsFirst ? runs : cuts);
            go.countDown();
            Future<Boolean> cut = cutsFirst ? first : second;
            Future<Boolean> interrupted = cutsFirst ? second : first;

            assertThat(interrupted.get())
                    .as("round %d: the interrupt was the loader's", round)
                    .isFalse();
            assertThat(call.ended() == null).as("round %d: one end", round).isEqualTo(cut.get());
            assertThat(call.over().getCount()).as("round %d", round).isZero();
            cutOff += cut.get() ? 1 : 0;
        }
        assertThat(cutOff).as("both ends were seen").isBetween(1, rounds - 1);
        assertThat(permits.stuck()).isZero();
    }

    @Test
    void permitIsTheCallsFromItsMakingOn() {
        Permit permit = requireNonNull(permits.tryAcquire());
        LoaderCall<String> call = new LoaderCall<>(LoaderCallTest::value, permit, permits, guard.call(1), time);

        permit.release();
        assertThat(permits.running()).isOne();

        call.run();
        assertThat(permits.running()).isZero();
    }

    @Test
    void callThatIsCutOffBeforeItBeginsNeverBegins() {
        AtomicBoolean called = new AtomicBoolean();
        LoaderCall<String> call = new LoaderCall<>(
                () -> {
                    called.set(true);
                    return value();
                },
                requireNonNull(permits.tryAcquire()),
                permits,
                guard.call(1),
                time);

        assertThat(call.cutOff()).isTrue();
        assertThat(permits.tryAcquire()).as("the permit is given back").isNotNull();
        call.run();

        assertThat(called).isFalse();
        assertThat(call.ended()).isNull();
        assertThat(permits.tryAcquire()).as("and not once more").isNull();
    }

    @Test
    void callThatEndedIsNotCutOff() {
        LoaderCall<String> call = new LoaderCall<>(
                LoaderCallTest::value, requireNonNull(permits.tryAcquire()), permits, guard.call(1), time);
        call.run();

        assertThat(call.cutOff()).isFalse();
        assertThat(call.ended().result())
                .singleElement()
                .extracting(LoadedValue::value)
                .isEqualTo("value");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void onlyAThreadThatIsHandingOverIsInterruptedForIt() {
        LoaderCall<String> call = new LoaderCall<>(
                LoaderCallTest::value, requireNonNull(permits.tryAcquire()), permits, guard.call(1), time);
        call.interruptHandover();
        call.beginHandover();
        assertThat(call.endHandover()).isFalse();
        call.interruptHandover();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        call.beginHandover();
        call.interruptHandover();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThat(call.endHandover()).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void loaderRunDuringItsHandoverIsNotInterruptedForIt() {
        AtomicReference<LoaderCall<String>> itself = new AtomicReference<>();
        LoaderCall<String> call = new LoaderCall<>(
                () -> {
                    itself.get().interruptHandover();
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    return value();
                },
                requireNonNull(permits.tryAcquire()),
                permits,
                guard.call(1),
                time);
        itself.set(call);
        call.beginHandover();
        call.run();

        call.interruptHandover(); // the executor still has to do with its task
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(call.endHandover()).isFalse();
        assertThat(call.ended().failure()).isNull();
    }

    /** An executor that was blocked for too long, and then runs the call on the thread that hands it over. */
    @Test
    void theInterruptOfALoaderOutlivesThatOfItsHandover() {
        LoaderCall<String> call = new LoaderCall<>(
                () -> {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    Thread.currentThread().interrupt();
                    return value();
                },
                requireNonNull(permits.tryAcquire()),
                permits,
                guard.call(1),
                time);
        call.beginHandover();
        call.interruptHandover();
        call.run();

        assertThat(call.endHandover()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(call.ended().failure()).isNull();
    }
}
