package io.stampedeguard.testkit;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/**
 * Records the events of one or several caches, each as a constant: an answer as its {@link AnswerSource}, a fault as its
 * {@link FaultSource}, a new state of the origin or of the circuit breaker as that state, all others as their {@link EventType}:
 * <pre>{@code
 * assertThat(listener.count(AnswerSource.STALE)).isEqualTo(1);
 * assertThat(listener.amounts(EventType.STORED)).containsExactly(100L, 0L);
 * }</pre>
 *
 * <p><em>Thread-safe.</em>
 */
public final class RecordingListener implements CacheListener {
    private final Queue<Enum<?>> events = new ConcurrentLinkedQueue<>();
    private final Queue<CacheEvent.Measured> measured = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();

    /** Creates a listener that has recorded nothing. */
    public RecordingListener() {}

    /** {@return all constants so far, in order; a copy} */
    public List<Enum<?>> events() {
        return List.copyOf(events);
    }

    /**
     * {@return all constants of one enum so far, in order; a copy}
     *
     * @param <E> the enum
     * @param type the enum, such as {@code AnswerSource.class}
     */
    public <E extends Enum<E>> List<E> events(Class<E> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /**
     * {@return how often a constant was recorded so far}
     *
     * @param constant the constant, such as {@code AnswerSource.STALE}
     */
    public long count(Enum<?> constant) {
        return events.stream().filter(constant::equals).count();
    }

    /**
     * Waits, in real time, until a constant was recorded a number of times: for what the cache does in the background.
     *
     * @param constant the constant, such as {@code EventType.LOAD_STORED}
     * @param times the number of times since this listener exists, or more
     * @throws InterruptedException if the thread is interrupted
     * @throws AssertionError if this takes longer than a minute: then the threads that should cause it hang
     */
    public void await(Enum<?> constant, long times) throws InterruptedException {
        RealTime.await(
                () -> count(constant) >= times, () -> name(constant) + " not reported " + times + " times: " + this);
    }

    /** {@return the exceptions so far that reached no caller, in order; each is also an event} */
    public List<Throwable> faults() {
        return List.copyOf(faults);
    }

    /**
     * {@return the figures of all events of a type so far, in order; times are in nanoseconds}
     *
     * @param type the type, such as {@code EventType.COOL_DOWN}
     */
    public List<Long> amounts(EventType type) {
        return measured.stream()
                .filter(event -> event.type() == type)
                .map(CacheEvent.Measured::amount)
                .toList();
    }

    @Override
    public void onRead(String cache, AnswerSource source) {
        events.add(source);
    }

    @Override
    public void onEvent(String cache, CacheEvent event) {
        if (event instanceof Enum<?> constant) {
            events.add(constant);
        } else if (event instanceof CacheEvent.Fault fault) {
            faults.add(fault.exception()); // first: who has awaited the event sees it
            events.add(fault.source());
        } else {
            if (event instanceof CacheEvent.Measured figure) {
                measured.add(figure);
            }
            events.add(event.type());
        }
    }

    /** {@return how often each constant was recorded so far} */
    @Override
    public String toString() {
        Map<String, Long> counts = events.stream()
                .collect(Collectors.groupingBy(RecordingListener::name, TreeMap::new, Collectors.counting()));
        return "RecordingListener" + counts;
    }

    private static String name(Enum<?> constant) {
        return constant.getDeclaringClass().getSimpleName() + '.' + constant.name();
    }
}
