package io.stampedeguard;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testkit.HistoryChecker;
import io.stampedeguard.testkit.HistoryChecker.NearBound;
import io.stampedeguard.testkit.HistoryChecker.Violation;
import io.stampedeguard.testkit.Operation;
import io.stampedeguard.testkit.Operation.Caller;
import io.stampedeguard.testkit.Operation.Ending;
import io.stampedeguard.testkit.Operation.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The checker on handmade histories. Numbers are places in the order of begins and ends. */
final class HistoryCheckerTest {
    private static final Caller HERE = new Caller("p", "c");
    private static final Caller ELSEWHERE = new Caller("q", "d");
    private static final NearBound TEN_PLACES = place -> place - 11; // more than ten, that is
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
    void olderVersionOfAPutThatOverlapsTheInvalidationIsFine() {
        Operation get = get(9, 10, 1);
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, put(Ending.RETURNED, 3, 5, 1), get))
                .isEmpty();
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, put(Ending.THREW, 3, 6, 1), get))
                .isEmpty();
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, put(Ending.UNFINISHED, 3, 0, 1), get))
                .as("its process has died, but not what it has sent")
                .isEmpty();
    }

    @Test
    void olderVersionOfAPutThatHadEndedBeforeTheInvalidationIsFound() {
        Operation get = get(9, 10, 1);
        for (Ending ending : List.of(Ending.RETURNED, Ending.THREW)) {
            assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, put(ending, 3, 4, 1), get))
                    .containsExactly(new Violation(get, INVALIDATION, 2));
        }
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
        Operation others = new Operation(ELSEWHERE, "k", Kind.WRITE, Ending.RETURNED, 3, 4, 2);
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
        Operation failed = new Operation(HERE, "k", Kind.INVALIDATION, Ending.THREW, 5, 8, 0);
        assertThat(check(FIRST_WRITE, SECOND_WRITE, failed, get(9, 10, 1))).isEmpty();
    }

    @Test
    void expiryPromisesNothing() {
        Operation expiry = new Operation(HERE, "k", Kind.EXPIRY, Ending.RETURNED, 5, 8, 0);
        assertThat(check(FIRST_WRITE, SECOND_WRITE, expiry, get(9, 10, 1))).isEmpty();
    }

    @Test
    void whatAKilledProcessDidNotFinishCountsForNothing() {
        Operation write = new Operation(HERE, "k", Kind.WRITE, Ending.UNFINISHED, 3, 0, 2);
        Operation invalidation = new Operation(HERE, "k", Kind.INVALIDATION, Ending.UNFINISHED, 5, 0, 0);
        Operation get = new Operation(HERE, "k", Kind.GET, Ending.UNFINISHED, 9, 0, 0);
        assertThat(check(FIRST_WRITE, write, INVALIDATION, get(9, 10, 1))).isEmpty();
        assertThat(check(FIRST_WRITE, SECOND_WRITE, invalidation, get(9, 10, 1)))
                .isEmpty();
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, get)).isEmpty();
    }

    @Test
    void getThatThrewIsNotJudged() {
        Operation threw = new Operation(HERE, "k", Kind.GET, Ending.THREW, 9, 10, 0);
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, threw)).isEmpty();
    }

    @Test
    void getWithoutTheStoreIsOwedWhatItsOwnProcessPromised() {
        Operation elsewhere = new Operation(ELSEWHERE, "k", Kind.GET, Ending.WITHOUT_STORE, 9, 10, 1);
        Operation here = new Operation(HERE, "k", Kind.GET, Ending.WITHOUT_STORE, 9, 10, 1);
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, elsewhere)).isEmpty();
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, here))
                .containsExactly(new Violation(here, INVALIDATION, 2));
    }

    @Test
    void queuedInvalidationIsPromisedToItsOwnProcessOnly() {
        Operation queued = new Operation(HERE, "k", Kind.INVALIDATION, Ending.WITHOUT_STORE, 5, 8, 0);
        Operation elsewhere = new Operation(ELSEWHERE, "k", Kind.GET, Ending.RETURNED, 9, 10, 1);
        Operation here = get(9, 10, 1);
        assertThat(check(FIRST_WRITE, SECOND_WRITE, queued, elsewhere, near(ELSEWHERE, 100, 1)))
                .isEmpty();
        assertThat(check(FIRST_WRITE, SECOND_WRITE, queued, here)).containsExactly(new Violation(here, queued, 2));
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, queued, near(HERE, 9, 1)))
                .hasSize(1);
    }

    @Test
    void olderVersionOfOneKeyOfManyIsFound() {
        Operation behind = new Operation(HERE, "k", Kind.GET_ALL, Ending.RETURNED, 9, 12, 1);
        Operation other = new Operation(HERE, "other", Kind.GET_ALL, Ending.RETURNED, 9, 12, 1);
        List<Violation> found = check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, behind, other);

        assertThat(found).containsExactly(new Violation(behind, INVALIDATION, 2));
        assertThat(found.get(0).toString()).contains("in a getAll that began at 9");
    }

    @Test
    void readOfManyThatBeganBeforeTheInvalidationReturnedMayBeOld() {
        Operation early = new Operation(HERE, "k", Kind.GET_ALL, Ending.RETURNED, 8, 100, 1);
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, early)).isEmpty();
    }

    @Test
    void olderVersionOfAFutureIsFoundHoweverLateItCompletes() {
        Operation future = new Operation(ELSEWHERE, "k", Kind.GET_ASYNC, Ending.RETURNED, 9, 1_000, 1);
        List<Violation> found = check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, future);

        assertThat(found).containsExactly(new Violation(future, INVALIDATION, 2));
        assertThat(found.get(0).toString()).contains("in a getAsync that began at 9");
    }

    @Test
    void futureOfACallBeforeTheInvalidationReturnedMayBeOld() {
        Operation early = new Operation(ELSEWHERE, "k", Kind.GET_ASYNC, Ending.RETURNED, 7, 1_000, 1);
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, early)).isEmpty();
    }

    @Test
    void nearAnswersOfManyKeysAndOfFuturesHaveTheBoundOfNearCaches() {
        for (Kind kind : List.of(Kind.GET_ALL, Kind.GET_ASYNC, Kind.GET_ALL_ASYNC)) {
            Operation within = new Operation(ELSEWHERE, "k", kind, Ending.NEAR, 18, 20, 1);
            Operation behind = new Operation(ELSEWHERE, "k", kind, Ending.NEAR, 19, 20, 1);
            assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, INVALIDATION, within, behind))
                    .extracting(Violation::get)
                    .containsExactly(behind);
        }
    }

    @Test
    void keysHaveNothingToDoWithEachOther() {
        Operation elsewhere = new Operation(HERE, "other", Kind.GET, Ending.RETURNED, 9, 10, 1);
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, elsewhere)).isEmpty();
    }

    @Test
    void violationIsTold() {
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, get(9, 10, 1)).get(0))
                .hasToString(
                        "p/c got version 1 of k in a get that began at 9, though an invalidation by p/c had returned"
                                + " at 8, before which version 2 was written");
    }

    @Test
    void nearCacheElsewhereMayBeBehindWithinItsBound() {
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, INVALIDATION, near(ELSEWHERE, 9, 1), near(ELSEWHERE, 18, 1)))
                .isEmpty();
    }

    @Test
    void nearCacheThatIsBehindForLongerThanItsBoundIsFound() {
        Operation get = near(ELSEWHERE, 19, 1);
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, INVALIDATION, get))
                .containsExactly(new Violation(get, INVALIDATION, 2));
    }

    @Test
    void boundCountsToTheBeginOfTheGetHoweverLongThatTakes() {
        Operation held = new Operation(ELSEWHERE, "k", Kind.GET, Ending.NEAR, 18, 1_000, 1);
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, INVALIDATION, held)).isEmpty();
    }

    @Test
    void boundCountsFromTheReturnOfTheInvalidation() {
        Operation slow = invalidation(5, 100);
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, slow, near(ELSEWHERE, 110, 1)))
                .isEmpty();
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, slow, near(ELSEWHERE, 111, 1)))
                .hasSize(1);
    }

    @Test
    void nearCacheMustSeeAnInvalidationOfItsOwnProcessAtOnce() {
        Operation another = near(new Caller("p", "another thread"), 9, 1);
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, INVALIDATION, another))
                .containsExactly(new Violation(another, INVALIDATION, 2));
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, INVALIDATION, near(HERE, 8, 1), near(HERE, 9, 2)))
                .isEmpty();
    }

    @Test
    void ownInvalidationCountsThoughAnotherProcessPromisedMore() {
        Operation third = write(9, 10, 3);
        Operation elsewhere = new Operation(ELSEWHERE, "k", Kind.INVALIDATION, Ending.RETURNED, 11, 12, 0);
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, INVALIDATION, third, elsewhere, near(HERE, 15, 2)))
                .as("behind what was said elsewhere")
                .isEmpty();
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, INVALIDATION, third, elsewhere, near(HERE, 15, 1)))
                .as("behind what was said here")
                .extracting(Violation::promised)
                .containsExactly(2L);
    }

    @Test
    void whatTheSharedStoreAnswersHasNoBoundThoughThereAreNearCaches() {
        Operation stored = new Operation(ELSEWHERE, "k", Kind.GET, Ending.RETURNED, 9, 10, 1);
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, INVALIDATION, stored))
                .containsExactly(new Violation(stored, INVALIDATION, 2));
    }

    @Test
    void olderPromiseBindsANearCacheThoughANewerOneDoesNotYet() {
        Operation again = invalidation(14, 16);
        Operation third = write(12, 13, 3);
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, INVALIDATION, third, again, near(ELSEWHERE, 20, 2)))
                .isEmpty();
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, INVALIDATION, third, again, near(ELSEWHERE, 20, 1)))
                .extracting(Violation::invalidation)
                .containsExactly(INVALIDATION);
    }

    @Test
    void withoutABoundNearCachesAreAllowedNothing() {
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, near(ELSEWHERE, 8, 1)))
                .isEmpty();
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, near(ELSEWHERE, 9, 1)))
                .extracting(Violation::toString)
                .containsExactly("q/d got version 1 of k from its near cache in a get that began at 9, though an"
                        + " invalidation by p/c had returned at 8, before which version 2 was written");
    }

    /** One outdated answer in a million operations, which are added in random order. */
    @Test
    void oneOldAnswerAmongAMillionOperationsIsFound() {
        long seed = new Random().nextLong();
        Operation old = new Operation(HERE, "k3", Kind.GET, Ending.RETURNED, 3_999_998, 3_999_999, 1);
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
        history.add(new Operation(HERE, key, Kind.WRITE, Ending.RETURNED, place, place + 1, version));
        history.add(new Operation(HERE, key, Kind.INVALIDATION, Ending.RETURNED, place + 2, place + 3, 0));
        history.add(new Operation(HERE, key, Kind.GET, Ending.RETURNED, place + 4, place + 5, version));
    }

    private static List<Violation> check(Operation... history) {
        return HistoryChecker.check(List.of(history));
    }

    private static List<Violation> checkNear(Operation... history) {
        return HistoryChecker.check(List.of(history), TEN_PLACES);
    }

    private static Operation near(Caller caller, long begin, long version) {
        return new Operation(caller, "k", Kind.GET, Ending.NEAR, begin, begin + 1, version);
    }

    private static Operation write(long begin, long end, long version) {
        return new Operation(HERE, "k", Kind.WRITE, Ending.RETURNED, begin, end, version);
    }

    private static Operation put(Ending ending, long begin, long end, long version) {
        return new Operation(ELSEWHERE, "k", Kind.PUT, ending, begin, end, version);
    }

    private static Operation invalidation(long begin, long end) {
        return new Operation(HERE, "k", Kind.INVALIDATION, Ending.RETURNED, begin, end, 0);
    }

    private static Operation get(long begin, long end, long version) {
        return new Operation(HERE, "k", Kind.GET, Ending.RETURNED, begin, end, version);
    }
}
