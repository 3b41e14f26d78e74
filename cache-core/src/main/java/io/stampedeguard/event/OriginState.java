package io.stampedeguard.event;

/**
 * The degree to which the cache sheds loads while the origin is under strain. Each state includes the measures of the states
 * before it, in the order of the constants. None delays the load of a key for which a caller waits.
 */
public enum OriginState implements CacheEvent {
    /** Load times and waits for permits are what they normally are. */
    NORMAL,
    /** Entries are not reloaded before they are stale. */
    NO_EARLY_REFRESH,
    /** A stale entry is served without a reload until the middle between its soft and its hard TTL. */
    EXTENDED_STALE,
    /** Nothing is loaded in the background: stale entries are served until their hard TTL, and prefetches pause. */
    DEFERRED;

    @Override
    public EventType type() {
        return EventType.ORIGIN;
    }
}
