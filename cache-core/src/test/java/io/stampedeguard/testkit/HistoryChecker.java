package io.stampedeguard.testkit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Searches a history for violations: a get, of one key or of many, that began after an invalidation had returned, and that returned a version
 * older than one that was in the origin when that invalidation began. The relevant begins and ends are processed in
 * order, once:
 *
 * <ol>
 *   <li>a write ends: its version is in the origin from here on at the latest;
 *   <li>an invalidation begins: it can promise the newest version that is certainly in the origin;
 *   <li>an invalidation returns: its promise is given; of several the highest counts;
 *   <li>a get begins: it must return the highest promised version or a newer one. If a near cache answers it,
 *       only those promises count that were given in its own process, or elsewhere longer ago than the near cache's
 *       bound.
 * </ol>
 *
 * <p>What the shared store has not answered concerns one process: an invalidation that is queued is promised to the process that
 * queued it, and to no other one, and a get that was answered without the store must see the invalidations of its process. A
 * get that the store or the near cache answered must see them, too.
 *
 * <p>Calls that overlap may have happened in any order, so nothing is required of them: neither of a get that began
 * before the invalidation returned, nor for a write that had not ended when the invalidation began. A put stores its version,
 * however old, at some moment of its call, and not later: one that had not ended when the invalidation began may have come after it.
 * Two equal places overlap.
 *
 * <p>If the store lost its latest changes ({@link Loss}), what an invalidation had promised before is still owed to its own process, and
 * to each that had read the key since; other processes may not have heard of it, and nobody else knows it. <em>Not thread-safe</em>; n
 * operations cost n log n steps.
 */
public final class HistoryChecker {
    private final Map<String, Promised> promises = new HashMap<>();
    private final List<Violation> violations = new ArrayList<>();
    private final Map<String, Map<Long, Long>> endsOfPuts = new HashMap<>(); // by key and version; the last one
    private final NearBound bound;
    private final List<Loss> losses;
    private final List<Map<String, Long>> readsBeforeLosses =
            new ArrayList<>(); // of each: by process and key; the begin of the last

    private HistoryChecker(NearBound bound, List<Loss> losses) {
        this.bound = bound;
        this.losses = losses;
        losses.forEach(loss -> readsBeforeLosses.add(new HashMap<>()));
    }

    /**
     * A restart or a failover by which the store lost its latest changes.
     *
     * @param keptUpTo a place up to which the store kept all
     * @param begin a place before it ended
     * @param end a place after it had ended: calls that began later are answered by its successor
     */
    public record Loss(long keptUpTo, long begin, long end) {}

    /**
     * The bound of near caches. It counts from the return of an invalidation to the beginning of a get, however long
     * that get takes.
     */
    public interface NearBound {
        /** Near caches must follow an invalidation at once. */
        NearBound ZERO = place -> place - 1;

        /**
         * Returns what a near cache must have been notified of.
         *
         * @param place where a get begins
         * @return the last place that is certainly longer ago than the bound
         */
        long heardUpTo(long place);
    }

    /**
     * Checks a history in which near caches are allowed no delay.
     *
     * @param history the calls of all callers, in any order
     * @return each outdated get, in the order in which they began; empty if there is none
     */
    public static List<Violation> check(Collection<Operation> history) {
        return check(history, NearBound.ZERO);
    }

    /**
     * Checks a history.
     *
     * @param history the calls of all callers, in any order
     * @param bound the permitted delay of near caches
     * @return each outdated get, in the order in which they began; empty if there is none
     */
    public static List<Violation> check(Collection<Operation> history, NearBound bound) {
        return check(history, bound, List.of());
    }

    /**
     * Checks a history in which the store lost changes. Each get that may be affected is compared with all promises for its key.
     *
     * @param history the calls of all callers, in any order
     * @param bound the permitted delay of near caches
     * @param losses what the store lost
     * @return each outdated get, in the order in which they began; empty if there is none
     */
    public static List<Violation> check(Collection<Operation> history, NearBound bound, List<Loss> losses) {
        HistoryChecker checker = new HistoryChecker(bound, losses);
        history.forEach(checker::notePut);
        history.forEach(checker::noteRead);
        marks(history).forEach(checker::pass);
        return checker.violations;
    }

    private void notePut(Operation operation) {
        if (operation.kind() == Operation.Kind.PUT) {
            long end = operation.ending() == Operation.Ending.UNFINISHED ? Long.MAX_VALUE : operation.end();
            endsOfPuts
                    .computeIfAbsent(operation.key(), key -> new HashMap<>())
                    .merge(operation.version(), end, Math::max);
        }
    }

    /** A read that the store answered has told its process of what was promised before it began. */
    private void noteRead(Operation operation) {
        boolean isRead = operation.kind() == Operation.Kind.GET && operation.ending() == Operation.Ending.RETURNED;
        for (int i = 0; isRead && i < losses.size(); i++) {
            if (operation.end() < losses.get(i).begin()) {
                readsBeforeLosses.get(i).merge(reader(operation), operation.begin(), Math::max);
            }
        }
    }

    private static String reader(Operation get) {
        return get.caller().process() + " " + get.key();
    }

    /** Returns whether a promise may be unknown to the process of a get, since the store that knew it is gone. */
    private boolean isLost(Given given, Operation get) {
        for (int i = 0; i < losses.size(); i++) {
            Loss loss = losses.get(i);
            boolean isHit =
                    given.by().end() > loss.keptUpTo() && given.by().begin() < loss.end() && get.end() > loss.begin();
            if (isHit
                    && readsBeforeLosses.get(i).getOrDefault(reader(get), Long.MIN_VALUE)
                            <= given.by().end()) {
                return true;
            }
        }
        return false;
    }

    private boolean mayBePutAfter(Operation invalidation, Operation get) {
        Long end = endsOfPuts.getOrDefault(get.key(), Map.of()).get(get.version());
        return end != null && end >= invalidation.begin();
    }

    private static List<Mark> marks(Collection<Operation> history) {
        List<Mark> marks = new ArrayList<>(history.size());
        for (Operation operation : history) {
            switch (operation.ending()) {
                case RETURNED, NEAR, WITHOUT_STORE -> addMarks(operation, marks);
                case UNFINISHED, THREW, BY_ITS_OWN_SNAPSHOT -> {} // promises nothing, and is owed nothing
            }
        }
        marks.sort(Mark.IN_ORDER);
        return marks;
    }

    private static void addMarks(Operation operation, List<Mark> marks) {
        switch (operation.kind()) {
            case GET, GET_ASYNC, GET_ALL, GET_ALL_ASYNC ->
                marks.add(new Mark(operation.begin(), Step.GET_BEGINS, operation));
            case WRITE -> marks.add(new Mark(operation.end(), Step.WRITE_ENDS, operation));
            case INVALIDATION -> {
                marks.add(new Mark(operation.begin(), Step.INVALIDATION_BEGINS, operation));
                marks.add(new Mark(operation.end(), Step.INVALIDATION_RETURNS, operation));
            }
            case EXPIRY, PUT -> {} // promises nothing
        }
    }

    private void pass(Mark mark) {
        Operation operation = mark.operation();
        Promised promised = promises.computeIfAbsent(operation.key(), key -> new Promised());
        switch (mark.step()) {
            case GET_BEGINS -> judge(operation, promised);
            case INVALIDATION_BEGINS -> promised.begun.put(operation, promised.written);
            case WRITE_ENDS -> promised.written = Math.max(promised.written, operation.version());
            case INVALIDATION_RETURNS -> promised.giveBy(operation);
        }
    }

    private void judge(Operation get, Promised promised) {
        Given elsewhere = switch (get.ending()) {
            case NEAR -> promised.everywhereUpTo(bound.heardUpTo(get.begin()), each -> isLost(each, get));
            case WITHOUT_STORE -> null;
            default -> promised.everywhereUpTo(Long.MAX_VALUE, each -> isLost(each, get));
        };
        Given given = Given.higher(promised.inProcess(get), elsewhere);
        if (given != null && get.version() < given.version() && !mayBePutAfter(given.by(), get)) {
            violations.add(new Violation(get, given.by(), given.version()));
        }
    }

    /** At equal places, the order that requires nothing. */
    private enum Step {
        GET_BEGINS,
        INVALIDATION_BEGINS,
        WRITE_ENDS,
        INVALIDATION_RETURNS
    }

    private record Mark(long place, Step step, Operation operation) {
        static final Comparator<Mark> IN_ORDER =
                Comparator.comparingLong(Mark::place).thenComparing(Mark::step);
    }

    private record Given(long version, Operation by) {
        static @Nullable Given higher(@Nullable Given one, @Nullable Given other) {
            return one == null || (other != null && other.version > one.version) ? other : one;
        }
    }

    /** The promises for one key so far. */
    private static final class Promised {
        private final Map<Operation, Long> begun = new IdentityHashMap<>();
        private final TreeMap<Long, Given> everywhere = new TreeMap<>(); // by place; each is higher than those before
        private final List<Given> all = new ArrayList<>(); // everywhere, in their order, the lower ones included
        private final Map<String, Given> byProcess = new HashMap<>();
        private long written = Long.MIN_VALUE;

        void giveBy(Operation invalidation) {
            Long newest = begun.remove(invalidation);
            if (newest != null && newest > Long.MIN_VALUE) {
                Given given = new Given(newest, invalidation);
                byProcess.merge(invalidation.caller().process(), given, Given::higher);
                if (invalidation.ending() != Operation.Ending.WITHOUT_STORE) {
                    all.add(given);
                    Map.Entry<Long, Given> last = everywhere.lastEntry();
                    if (last == null || given.version > last.getValue().version) {
                        everywhere.put(invalidation.end(), given);
                    }
                }
            }
        }

        @Nullable
        Given inProcess(Operation get) {
            return byProcess.get(get.caller().process());
        }

        /** Returns the highest promise up to a place that is not lost. */
        @Nullable
        Given everywhereUpTo(long place, Predicate<Given> isLost) {
            Map.Entry<Long, Given> last = everywhere.floorEntry(place);
            if (last == null || !isLost.test(last.getValue())) {
                return last == null ? null : last.getValue();
            }
            return all.stream()
                    .filter(each -> each.by.end() <= place && !isLost.test(each))
                    .reduce(Given::higher)
                    .orElse(null);
        }
    }

    /**
     * A get that returned an outdated version.
     *
     * @param get the get
     * @param invalidation the invalidation that had returned before
     * @param promised the oldest version that the get might have returned
     */
    public record Violation(Operation get, Operation invalidation, long promised) {
        /** Returns a description, in one sentence. */
        @Override
        public String toString() {
            return "%s got version %d of %s%s in a %s that began at %d, though an invalidation by %s had returned at %d, before which version %d was written"
                    .formatted(
                            get.caller(),
                            get.version(),
                            get.key(),
                            get.ending() == Operation.Ending.NEAR ? " from its near cache" : "",
                            get.kind(),
                            get.begin(),
                            invalidation.caller(),
                            invalidation.end(),
                            promised);
        }
    }
}
