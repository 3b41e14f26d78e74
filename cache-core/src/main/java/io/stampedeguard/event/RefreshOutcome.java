package io.stampedeguard.event;

/** The outcome of a request to reload an entry in the background. */
public enum RefreshOutcome {
    /** The reload was queued; the entry is stale. */
    QUEUED,
    /** The reload was queued; the entry is still fresh. */
    EARLY,
    /** Dropped: queue full, no permit free, or rejected by the executor for loaders. A later read requests it again. */
    DROPPED
}
