package io.stampedeguard.policy;

/** How those who wait for the load of another process learn that it is over. */
public enum WakeUp {
    /** The store tells them at once, if it can; a poll now and then makes up for lost messages. */
    PUSH,
    /** They ask the store again and again, with jittered pauses. */
    POLL
}
