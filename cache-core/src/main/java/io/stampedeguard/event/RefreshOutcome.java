package io.stampedeguard.event;

/** What became of the reload of an entry in the background. */
public enum RefreshOutcome {
    /** It waits for a thread; the entry is stale. */
    QUEUED,
    /** It waits for a thread; the entry is still fresh. */
    EARLY,
    /** It was dropped: no room in the queue, no permit to load, or the executor for loaders refused it. A later read asks again. */
    DROPPED
}
