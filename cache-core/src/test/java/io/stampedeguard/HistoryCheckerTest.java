package io.stampedeguard;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testkit.HistoryChecker;
import io.stampedeguard.testkit.HistoryChecker.Violation;
import io.stampedeguard.testkit.Operation;
import io.stampedeguard.testkit.Operation.Ending;
import io.stampedeguard.testkit.Operation.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The checker, held against histories made by hand. Numbers are places in the order of begins and ends. */
final class HistoryCheckerTest {
    private static final Operation FIRST_WRITE = write(1, 2, 1);
    private static final Operation SECOND_WRITE = write(3, 4, 2);
    private static final Operation INVALIDATION = invalidation(5, 8);

    @Test
    void emptyHistoryIsFine() {
        assertThat(check()).isEmpty();
    }

    @Test
    void newestVersionAfterAnInvalidationIsFine() {
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, get(9, 10, 2)))
                .isEmpty();
    }

    @Test
    void newerVersionThanThePromisedOneIsFine() {
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, write(9, 10, 3), get(11, 12, 3)))
                .isEmpty();
    }

    @Test
    void olderVersionAfterAnInvalidationIsFound() {
        Operation get = get(9, 10, 1);
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, get))
                .containsExactly(new Violation(get, INVALIDATION, 2));
    }

    @Test
    void eachGetThatIsTooOldIsFoundInTheOrderOfTheirBegins() {
        Operation first = get(9, 30, 1);
        Operation second = get(20, 21, 1);
        assertThat(check(second, first, INVALIDATION, SECOND_WRITE, FIRST_WRITE))
                .extracting(Violation::get)
                .containsExactly(first, second);
    }

    @Test
    void oldVersionWithoutAnyInvalidationIsFine() {
        assertThat(check(FIRST_WRITE, SECOND_WRITE, get(9, 10, 1))).isEmpty();
    }

    @Test
    void nothingIsPromisedWhereNothingWasWritten() {
        assertThat(check(INVALIDATION, get(9, 10, 0))).isEmpty();
    }

    @Test
    void getThatBeganBeforeTheInvalidationReturnedMayBeOld() {
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, get(7, 100, 1)))
                .isEmpty();
    }

    @Test
    void getThatBeganWhereTheInvalidationReturnedMayBeOld() {
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, get(8, 10, 1)))
                .isEmpty();
    }

    @Test
    void writeThatOverlapsTheInvalidationIsNotPromised() {
        assertThat(check(FIRST_WRITE, write(3, 6, 2), INVALIDATION, get(9, 10, 1)))
                .isEmpty();
        assertThat(check(FIRST_WRITE, write(3, 5, 2), INVALIDATION, get(9, 10, 1)))
                .isEmpty();
    }

    @Test
    void writeOfSomebodyElseIsPromisedAsWell() {
        Operation others = new Operation("other", "k", Kind.WRITE, Ending.RETURNED, 3, 4, 2);
        assertThat(check(FIRST_WRITE, others, INVALIDATION, get(9, 10, 1))).hasSize(1);
    }

    @Test
    void laterInvalidationWithALowerPromiseDoesNotTakeTheHigherOneBack() {
        Operation early = invalidation(3, 20); // began when only version 1 was written, and returned last
        Operation late = invalidation(6, 7);
        Operation get = get(21, 22, 1);
        assertThat(check(FIRST_WRITE, write(4, 5, 2), early, late, get)).containsExactly(new Violation(get, late, 2));
    }

    @Test
    void writesThatEndOutOfOrderPromiseTheHighest() {
        assertThat(check(write(1, 2, 7), write(0, 3, 6), INVALIDATION, get(9, 10, 6)))
                .hasSize(1);
    }

    @Test
    void invalidationThatThrewPromisesNothing() {
        Operation failed = new Operation("c", "k", Kind.INVALIDATION, Ending.THREW, 5, 8, 0);
        assertThat(check(FIRST_WRITE, SECOND_WRITE, failed, get(9, 10, 1))).isEmpty();
    }

    @Test
    void expiryPromisesNothing() {
        Operation expiry = new Operation("c", "k", Kind.EXPIRY, Ending.RETURNED, 5, 8, 0);
        assertThat(check(FIRST_WRITE, SECOND_WRITE, expiry, get(9, 10, 1))).isEmpty();
    }

    @Test
    void whatAKilledProcessDidNotFinishCountsForNothing() {
        Operation write = new Operation("c", "k", Kind.WRITE, Ending.UNFINISHED, 3, 0, 2);
        Operation invalidation = new Operation("c", "k", Kind.INVALIDATION, Ending.UNFINISHED, 5, 0, 0);
        Operation get = new Operation("c", "k", Kind.GET, Ending.UNFINISHED, 9, 0, 0);
        assertThat(check(FIRST_WRITE, write, INVALIDATION, get(9, 10, 1))).isEmpty();
        assertThat(check(FIRST_WRITE, SECOND_WRITE, invalidation, get(9, 10, 1)))
                .isEmpty();
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, get)).isEmpty();
    }

    @Test
    void getThatThrewOrDidNotReachTheStoreIsNotJudged() {
        Operation threw = new Operation("c", "k", Kind.GET, Ending.THREW, 9, 10, 0);
        Operation alone = new Operation("c", "k", Kind.GET, Ending.WITHOUT_STORE, 9, 10, 1);
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, threw, alone)).isEmpty();
    }

    @Test
    void keysHaveNothingToDoWithEachOther() {
        Operation elsewhere = new Operation("c", "other", Kind.GET, Ending.RETURNED, 9, 10, 1);
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, elsewhere)).isEmpty();
    }

    @Test
    void violationIsTold() {
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, get(9, 10, 1)).get(0))
                .hasToString("c got version 1 of k in a get that began at 9, though an invalidation by c had returned"
                        + " at 8, before which version 2 was written");
    }

    /** One old answer in a million operations, which are told in any order. */
    @Test
    void oneOldAnswerAmongAMillionOperationsIsFound() {
        long seed = new Random().nextLong();
        Operation old = new Operation("c", "k3", Kind.GET, Ending.RETURNED, 3_999_998, 3_999_999, 1);
        List<Operation> history = new ArrayList<>(List.of(old));
        for (int i = 0; history.size() < 1_000_000; i++) {
            addRound("k" + i % 10, i / 10, 8L * i, history);
        }
        Collections.shuffle(history, new Random(seed));

        assertThat(HistoryChecker.check(history))
                .as("seed %d", seed)
                .extracting(Violation::get)
                .containsExactly(old);
    }

    private static void addRound(String key, long version, long place, List<Operation> history) {
        history.add(new Operation("c", key, Kind.WRITE, Ending.RETURNED, place, place + 1, version));
        history.add(new Operation("c", key, Kind.INVALIDATION, Ending.RETURNED, place + 2, place + 3, 0));
        history.add(new Operation("c", key, Kind.GET, Ending.RETURNED, place + 4, place + 5, version));
    }

    private static List<Violation> check(Operation... history) {
        return HistoryChecker.check(List.of(history));
    }

    private static Operation write(long begin, long end, long version) {
        return new Operation("c", "k", Kind.WRITE, Ending.RETURNED, begin, end, version);
    }

    private static Operation invalidation(long begin, long end) {
        return new Operation("c", "k", Kind.INVALIDATION, Ending.RETURNED, begin, end, 0);
    }

    private static Operation get(long begin, long end, long version) {
        return new Operation("c", "k", Kind.GET, Ending.RETURNED, begin, end, version);
    }
}
