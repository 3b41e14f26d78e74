package io.stampedeguard.policy;

/** How callers that wait for the load of another process are notified of its end. */
public enum WakeUp {
    /** The store notifies them at once, if it can; occasional polls make up for lost messages. */
    PUSH,
    /** They poll the store, at jittered intervals. */
    POLL
}
