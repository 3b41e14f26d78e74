package io.stampedeguard;

import static io.stampedeguard.testkit.Operation.Ending.BY_ITS_OWN_SNAPSHOT;
import static io.stampedeguard.testkit.Operation.Ending.NEAR;
import static io.stampedeguard.testkit.Operation.Ending.RETURNED;
import static io.stampedeguard.testkit.Operation.Ending.THREW;
import static io.stampedeguard.testkit.Operation.Ending.UNFINISHED;
import static io.stampedeguard.testkit.Operation.Ending.WITHOUT_STORE;
import static io.stampedeguard.testkit.Operation.Kind.EXPIRY;
import static io.stampedeguard.testkit.Operation.Kind.GET;
import static io.stampedeguard.testkit.Operation.Kind.GET_ALL;
import static io.stampedeguard.testkit.Operation.Kind.GET_ALL_ASYNC;
import static io.stampedeguard.testkit.Operation.Kind.GET_ASYNC;
import static io.stampedeguard.testkit.Operation.Kind.PUT;
import static io.stampedeguard.testkit.Operation.Kind.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testkit.HistoryChecker;
import io.stampedeguard.testkit.HistoryChecker.Loss;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The checker on handmade histories. Numbers are places in the order of begins and ends. */
final class HistoryCheckerTest {
    private static final Caller HERE = new Caller("p", "c");
    private static final Caller ELSEWHERE = new Caller("q", "d");
    private static final NearBound TEN_PLACES = place -> place - 11; // more than ten, that is
    private static final Operation FIRST_WRITE = write(1, 2, 1);
    private static final Operation SECOND_WRITE = write(3, 4, 2);
    private static final Operation INVALIDATION = invalidation(5, 8);
    private static final Operation QUEUED = here(Kind.INVALIDATION, WITHOUT_STORE, 5, 8, 0);

    /** Histories without a violation. */
    static Stream<Arguments> fine() {
        Operation old = get(9, 10, 1);
        return Stream.of(
                history("empty"),
                promised("the newest version", get(9, 10, 2)),
                promised("a newer one", write(9, 10, 3), get(11, 12, 3)),
                promised("an overlapping put", put(RETURNED, 3, 5, 1), old),
                promised("one that threw", put(THREW, 3, 6, 1), old),
                promised("one that was sent", put(UNFINISHED, 3, 0, 1), old),
                history("no invalidation", FIRST_WRITE, SECOND_WRITE, old),
                history("nothing written", INVALIDATION, get(9, 10, 0)),
                promised("a get that began before", get(7, 100, 1)),
                promised("at the same place", get(8, 10, 1)),
                promised("a key of many", here(GET_ALL, RETURNED, 8, 100, 1)),
                promised("a future", there(GET_ASYNC, RETURNED, 7, 1_000, 1)),
                history("a write that overlaps", FIRST_WRITE, write(3, 6, 2), INVALIDATION, old),
                history("at its begin", FIRST_WRITE, write(3, 5, 2), INVALIDATION, old),
                history("it threw", FIRST_WRITE, SECOND_WRITE, here(Kind.INVALIDATION, THREW, 5, 8, 0), old),
                history("an expiry", FIRST_WRITE, SECOND_WRITE, here(EXPIRY, RETURNED, 5, 8, 0), old),
                history("a lost write", FIRST_WRITE, here(WRITE, UNFINISHED, 3, 0, 2), INVALIDATION, old),
                history("lost", FIRST_WRITE, SECOND_WRITE, here(Kind.INVALIDATION, UNFINISHED, 5, 0, 0), old),
                promised("a lost get", here(GET, UNFINISHED, 9, 0, 0)),
                promised("a get that threw", here(GET, THREW, 9, 10, 0)),
                promised("no store", there(GET, WITHOUT_STORE, 9, 10, 1)),
                promised("its own snapshot", here(GET, BY_ITS_OWN_SNAPSHOT, 9, 10, 1)),
                history("queued", FIRST_WRITE, SECOND_WRITE, QUEUED, there(GET, RETURNED, 9, 10, 1)),
                history("queued, and near", FIRST_WRITE, SECOND_WRITE, QUEUED, near(ELSEWHERE, 100, 1)),
                promised("another key", other(9, 10, 1)),
                promised("near", near(ELSEWHERE, 9, 1)),
                promised("near, at its bound", near(ELSEWHERE, 18, 1)),
                promised("near, held up", there(GET, NEAR, 18, 1_000, 1)),
                history("near, slow", FIRST_WRITE, SECOND_WRITE, invalidation(5, 100), near(ELSEWHERE, 110, 1)),
                promised("near, here", near(HERE, 8, 1), near(HERE, 9, 2)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("fine")
    void fineHistoryHasNoViolation(String name, Operation... history) {
        assertThat(checkNear(history)).isEmpty();
    }

    /** Histories whose last operation, and nothing else, is a violation: version 2 was promised. */
    static Stream<Arguments> outdated() {
        Operation old = get(9, 10, 1);
        return Stream.of(
                promised("an older version", old),
                promised("a put before", put(RETURNED, 3, 4, 1), old),
                promised("that threw", put(THREW, 3, 4, 1), old),
                history("written elsewhere", FIRST_WRITE, there(WRITE, RETURNED, 3, 4, 2), INVALIDATION, old),
                history("out of order", write(1, 2, 2), write(0, 3, 1), INVALIDATION, old),
                history("lower", FIRST_WRITE, write(4, 5, 2), invalidation(3, 20), invalidation(6, 7), get(21, 22, 1)),
                promised("no store", here(GET, WITHOUT_STORE, 9, 10, 1)),
                history("queued", FIRST_WRITE, SECOND_WRITE, QUEUED, old),
                history("queued, and near", FIRST_WRITE, SECOND_WRITE, QUEUED, near(HERE, 9, 1)),
                promised("one of many", other(9, 12, 1), here(GET_ALL, RETURNED, 9, 12, 1)),
                promised("a late future", there(GET_ASYNC, RETURNED, 9, 1_000, 1)),
                promised("near", near(ELSEWHERE, 18, 1), near(ELSEWHERE, 19, 1)),
                promised("of many", near(GET_ALL, 18), near(GET_ALL, 19)),
                promised("of a future", near(GET_ASYNC, 18), near(GET_ASYNC, 19)),
                promised("of both", near(GET_ALL_ASYNC, 18), near(GET_ALL_ASYNC, 19)),
                history("near, slow", FIRST_WRITE, SECOND_WRITE, invalidation(5, 100), near(ELSEWHERE, 111, 1)),
                promised("own process", near(new Caller("p", "another"), 9, 1)),
                promised("stored", there(GET, RETURNED, 9, 10, 1)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("outdated")
    void outdatedGetIsFound(String name, Operation... history) {
        Operation get = history[history.length - 1];
        assertThat(checkNear(history)).singleElement().satisfies(violation -> {
            assertThat(violation.get()).isSameAs(get);
            assertThat(violation.promised()).isEqualTo(2);
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"GET", "GET_ASYNC", "GET_ALL", "GET_ALL_ASYNC"})
    void violationIsTold(Kind kind) {
        assertThat(check(FIRST_WRITE, SECOND_WRITE, INVALIDATION, here(kind, RETURNED, 9, 10, 1)))
                .extracting(Violation::toString)
                .containsExactly(
                        "p/c got version 1 of k in a " + kind + " that began at 9, though an invalidation by p/c"
                                + " had returned at 8, before which version 2 was written");
    }

    @Test
    void outdatedGetsAreFoundInTheOrderTheyBegan() {
        Operation first = get(9, 30, 1);
        Operation second = get(20, 21, 1);
        assertThat(check(second, first, INVALIDATION, SECOND_WRITE, FIRST_WRITE))
                .extracting(Violation::get)
                .containsExactly(first, second);
    }

    @Test
    void ownInvalidationCountsThoughAnotherProcessPromisedMore() {
        Operation third = write(9, 10, 3);
        Operation elsewhere = there(Kind.INVALIDATION, RETURNED, 11, 12, 0);
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, INVALIDATION, third, elsewhere, near(HERE, 15, 2)))
                .as("behind what was said elsewhere")
                .isEmpty();
        assertThat(checkNear(FIRST_WRITE, SECOND_WRITE, INVALIDATION, third, elsewhere, near(HERE, 15, 1)))
                .as("behind what was said here")
                .extracting(Violation::promised)
                .containsExactly(2L);
    }

    @Test
    void olderPromiseBindsANearCacheBeforeANewerOneDoes() {
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

    /** What a store that lost its changes after place 6, and ended between 20 and 30, still owes: an old version after each of these. */
    static Stream<Arguments> oldAnswersOfALossyStore() {
        Operation inProcessOfTheInvalidation = get(40, 41, 1);
        Operation elsewhere = there(GET, RETURNED, 40, 41, 1);
        return Stream.of(
                Arguments.of("own process", true, List.of(inProcessOfTheInvalidation)),
                Arguments.of("elsewhere", false, List.of(elsewhere)),
                Arguments.of("it has read before", true, List.of(there(GET, RETURNED, 9, 19, 2), elsewhere)),
                Arguments.of("it has read near", false, List.of(there(GET, NEAR, 9, 19, 2), elsewhere)),
                Arguments.of("it read too early", false, List.of(there(GET, RETURNED, 8, 19, 2), elsewhere)),
                Arguments.of("it read too late", false, List.of(there(GET, RETURNED, 9, 20, 2), elsewhere)),
                Arguments.of("the get ended before", true, List.of(there(GET, RETURNED, 9, 19, 1))),
                Arguments.of("it ended meanwhile", false, List.of(there(GET, RETURNED, 9, 21, 1))),
                Arguments.of("promised again", true, List.of(invalidation(31, 32), elsewhere)),
                Arguments.of("meanwhile", false, List.of(invalidation(29, 32), elsewhere)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("oldAnswersOfALossyStore")
    void lostPromiseBindsThoseWhoKnowOfIt(String name, boolean isOwed, List<Operation> then) {
        List<Operation> history = new ArrayList<>(List.of(FIRST_WRITE, SECOND_WRITE, INVALIDATION));
        history.addAll(then);
        Operation last = then.get(then.size() - 1);

        assertThat(HistoryChecker.check(history, TEN_PLACES, List.of(new Loss(6, 20, 30))))
                .extracting(Violation::get)
                .isEqualTo(isOwed ? List.of(last) : List.of());
        assertThat(HistoryChecker.check(history, TEN_PLACES, List.of(new Loss(8, 20, 30))))
                .as("nothing was lost")
                .extracting(Violation::get)
                .containsExactly(last);
    }

    /** One outdated answer in a hundred thousand operations, which are added in random order. */
    @Test
    void oneOldAnswerAmongAHundredThousandOperationsIsFound() {
        long seed = new Random().nextLong();
        Operation old = new Operation(HERE, "k3", GET, RETURNED, 3_999_998, 3_999_999, 1);
        List<Operation> history = new ArrayList<>(List.of(old));
        for (int i = 0; history.size() < 100_000; i++) {
            addRound("k" + i % 10, i / 10, 8L * i, history);
        }
        Collections.shuffle(history, new Random(seed));

        assertThat(HistoryChecker.check(history))
                .as("seed %d", seed)
                .extracting(Violation::get)
                .containsExactly(old);
    }

    private static void addRound(String key, long version, long place, List<Operation> history) {
        history.add(new Operation(HERE, key, WRITE, RETURNED, place, place + 1, version));
        history.add(new Operation(HERE, key, Kind.INVALIDATION, RETURNED, place + 2, place + 3, 0));
        history.add(new Operation(HERE, key, GET, RETURNED, place + 4, place + 5, version));
    }

    private static List<Violation> check(Operation... history) {
        return HistoryChecker.check(List.of(history));
    }

    private static List<Violation> checkNear(Operation... history) {
        return HistoryChecker.check(List.of(history), TEN_PLACES);
    }

    private static Arguments history(String name, Operation... history) {
        return Arguments.of(name, history);
    }

    /** After version 2 was written, and then invalidated. */
    private static Arguments promised(String name, Operation... then) {
        return history(
                name,
                Stream.concat(Stream.of(FIRST_WRITE, SECOND_WRITE, INVALIDATION), Stream.of(then))
                        .toArray(Operation[]::new));
    }

    private static Operation here(Kind kind, Ending ending, long begin, long end, long version) {
        return new Operation(HERE, "k", kind, ending, begin, end, version);
    }

    private static Operation there(Kind kind, Ending ending, long begin, long end, long version) {
        return new Operation(ELSEWHERE, "k", kind, ending, begin, end, version);
    }

    private static Operation other(long begin, long end, long version) {
        return new Operation(HERE, "other", GET_ALL, RETURNED, begin, end, version);
    }

    private static Operation near(Kind kind, long begin) {
        return there(kind, NEAR, begin, begin + 2, 1);
    }

    private static Operation near(Caller caller, long begin, long version) {
        return new Operation(caller, "k", GET, NEAR, begin, begin + 1, version);
    }

    private static Operation write(long begin, long end, long version) {
        return here(WRITE, RETURNED, begin, end, version);
    }

    private static Operation put(Ending ending, long begin, long end, long version) {
        return there(PUT, ending, begin, end, version);
    }

    private static Operation invalidation(long begin, long end) {
        return here(Kind.INVALIDATION, RETURNED, begin, end, 0);
    }

    private static Operation get(long begin, long end, long version) {
        return here(GET, RETURNED, begin, end, version);
    }
}
