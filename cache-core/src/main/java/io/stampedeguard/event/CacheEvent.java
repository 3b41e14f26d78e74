package io.stampedeguard.event;

/**
 * An event of a cache. Most events are constants: an {@link EventType} if there is nothing to add, or a new state of the origin
 * or of the circuit breaker. The others have a figure, an exception, or words. <em>Immutable.</em>
 */
public sealed interface CacheEvent
        permits EventType, OriginState, BreakerState, CacheEvent.Measured, CacheEvent.Fault, CacheEvent.Advice {
    /** {@return what happened} */
    EventType type();

    /**
     * An event with a figure.
     *
     * @param type what happened
     * @param amount the figure, as described at the type; times are in nanoseconds
     */
    record Measured(EventType type, long amount) implements CacheEvent {}

    /**
     * An exception was caught that reaches no caller.
     *
     * @param source whose exception it was; with {@link FaultSource#LISTENER}, another listener's
     * @param exception the exception
     */
    record Fault(FaultSource source, Throwable exception) implements CacheEvent {
        @Override
        public EventType type() {
            return EventType.FAULT;
        }
    }

    /**
     * A piece of advice for operators, which is also logged as a warning. Each is given once.
     *
     * @param type its subject
     * @param words the advice as text, with the figures
     */
    record Advice(EventType type, String words) implements CacheEvent {}
}
