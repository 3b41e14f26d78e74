package io.stampedeguard.event;

/** What became of the reload of an entry in the background. */
public enum RefreshOutcome {
    /** It waits for a thread; the entry is stale. */
    QUEUED,
    /** It waits for a thread; the entry is still fresh. */
    EARLY,
    /** It was dropped: no room in the queue, or no permit to load. A later read asks again. */
    DROPPED
}
