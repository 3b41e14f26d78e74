package io.stampedeguard.event;

/** What became of the reload of a stale entry in the background. */
public enum RefreshOutcome {
    /** It waits for a thread. */
    QUEUED,
    /** It was dropped: no room in the queue, or no permit to load. A later read asks again. */
    DROPPED
}
