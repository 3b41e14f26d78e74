package io.stampedeguard.event;

/** The state of the circuit breaker between a process and the shared store. */
public enum BreakerState implements CacheEvent {
    /** Requests are sent. Also the state of a store without a circuit breaker. */
    CLOSED,
    /** The store did not answer, or was slow: requests fail at once, without being sent. */
    OPEN,
    /** Like {@link #OPEN}, while a probe in the background finds out whether the store answers again. */
    HALF_OPEN;

    @Override
    public EventType type() {
        return EventType.BREAKER;
    }
}
