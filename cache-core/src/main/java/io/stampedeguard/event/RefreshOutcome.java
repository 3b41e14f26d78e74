package io.stampedeguard.event;

/** The outcome of a request to reload an entry in the background. */
public enum RefreshOutcome {
    /** The reload was queued; the entry is stale. */
    QUEUED,
    /** The reload was queued; the entry is still fresh. */
    EARLY,
    /**
     * The reload was dropped: the queue was full, no permit was free, or the executor for loaders rejected it. A later read
     * requests it again.
     */
    DROPPED
}
