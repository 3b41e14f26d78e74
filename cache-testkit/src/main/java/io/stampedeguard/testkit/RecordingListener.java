package io.stampedeguard.testkit;

import io.stampedeguard.event.Advice;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.FilterOutcome;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.event.OriginState;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.event.UnleasedReason;
import io.stampedeguard.event.WaitOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/**
 * Records the events of one or several caches, each as its outcome: an {@link AnswerSource}, {@link LoadOutcome}, {@link
 * ReadOutcome}, and so on; a fault as its {@link FaultSource}, advice as its {@link Advice}, a step of the
 * origin guard as its {@link OriginState}:
 * <pre>{@code
 * assertThat(listener.count(AnswerSource.STALE)).isEqualTo(1);
 * assertThat(listener.events(LoadOutcome.class)).containsExactly(LoadOutcome.STORED, LoadOutcome.FAILED);
 * }</pre>
 *
 * <p><em>Thread-safe.</em>
 */
public final class RecordingListener implements CacheListener {
    private final Queue<Enum<?>> events = new ConcurrentLinkedQueue<>();
    private final Queue<Integer> stuckLoads = new ConcurrentLinkedQueue<>();
    private final Queue<Integer> queuedChanges = new ConcurrentLinkedQueue<>();
    private final Queue<String> prefetched = new ConcurrentLinkedQueue<>();
    private final Queue<Duration> staleAges = new ConcurrentLinkedQueue<>();
    private final Queue<Duration> coolDowns = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();

    /** Creates a listener that has recorded nothing. */
    public RecordingListener() {}

    /** {@return all outcomes so far, in order; a copy} */
    public List<Enum<?>> events() {
        return List.copyOf(events);
    }

    /**
     * {@return all outcomes of one kind so far, in order; a copy}
     *
     * @param <E> the kind
     * @param kind the kind, such as {@code AnswerSource.class}
     */
    public <E extends Enum<E>> List<E> events(Class<E> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /**
     * {@return how often an outcome was reported so far}
     *
     * @param outcome the outcome, such as {@code AnswerSource.STALE}
     */
    public long count(Enum<?> outcome) {
        return events.stream().filter(outcome::equals).count();
    }

    /**
     * Waits, in real time, until an outcome was reported a number of times: for what the cache does in the background.
     *
     * @param outcome the outcome, such as {@code LoadOutcome.STORED}
     * @param times the number of times since this listener exists, or more
     * @throws InterruptedException if the thread is interrupted
     * @throws AssertionError if this takes longer than a minute: then the threads that should cause it hang
     */
    public void await(Enum<?> outcome, long times) throws InterruptedException {
        RealTime.await(
                () -> count(outcome) >= times, () -> name(outcome) + " not reported " + times + " times: " + this);
    }

    /** {@return the exceptions so far that reached no caller, in order; each is also an event} */
    public List<Throwable> faults() {
        return List.copyOf(faults);
    }

    /** {@return the ages of the stale values that callers got so far, in order} */
    public List<Duration> staleAges() {
        return List.copyOf(staleAges);
    }

    /** {@return the lengths of the cool-downs so far, in order} */
    public List<Duration> coolDowns() {
        return List.copyOf(coolDowns);
    }

    /** {@return the reported numbers of stuck loads so far, in order} */
    public List<Integer> stuckLoads() {
        return List.copyOf(stuckLoads);
    }

    /** {@return the reported numbers of keys whose changes were queued so far, in order} */
    public List<Integer> queuedChanges() {
        return List.copyOf(queuedChanges);
    }

    /** {@return the progress of prefetches after each batch so far, in order, such as {@code 100 of 250}} */
    public List<String> prefetched() {
        return List.copyOf(prefetched);
    }

    @Override
    public void onAnswer(String cache, AnswerSource source) {
        events.add(source);
    }

    @Override
    public void onFilter(String cache, FilterOutcome outcome) {
        events.add(outcome);
    }

    @Override
    public void onRead(String cache, ReadOutcome outcome) {
        events.add(outcome);
    }

    @Override
    public void onLease(String cache, LeaseOutcome outcome) {
        events.add(outcome);
    }

    @Override
    public void onUnleasedLoad(String cache, UnleasedReason reason) {
        events.add(reason);
    }

    @Override
    public void onLoad(String cache, LoadOutcome outcome, long nanos) {
        events.add(outcome);
    }

    @Override
    public void onStuckLoads(String cache, int running) {
        stuckLoads.add(running);
    }

    @Override
    public void onOriginState(String cache, OriginState state) {
        events.add(state);
    }

    @Override
    public void onQueuedChanges(String cache, int queued) {
        queuedChanges.add(queued);
    }

    @Override
    public void onBreaker(String cache, BreakerState state) {
        events.add(state);
    }

    @Override
    public void onWait(String cache, WaitOutcome outcome, long nanos) {
        events.add(outcome);
    }

    @Override
    public void onRefresh(String cache, RefreshOutcome outcome) {
        events.add(outcome);
    }

    @Override
    public void onPrefetch(String cache, int done, int total) {
        prefetched.add(done + " of " + total);
    }

    @Override
    public void onStale(String cache, long ageMillis) {
        staleAges.add(Duration.ofMillis(ageMillis));
    }

    @Override
    public void onCoolDown(String cache, long millis) {
        coolDowns.add(Duration.ofMillis(millis));
    }

    @Override
    public void onAdvice(String cache, Advice advice, String words) {
        events.add(advice);
    }

    @Override
    public void onFault(String cache, FaultSource source, Throwable fault) {
        faults.add(fault); // first: who has awaited the event sees it
        events.add(source);
    }

    /** {@return how often each outcome was reported so far} */
    @Override
    public String toString() {
        Map<String, Long> counts = events.stream()
                .collect(Collectors.groupingBy(RecordingListener::name, TreeMap::new, Collectors.counting()));
        return "RecordingListener" + counts;
    }

    private static String name(Enum<?> outcome) {
        return outcome.getDeclaringClass().getSimpleName() + '.' + outcome.name();
    }
}
