package io.stampedeguard.testbed.fault;

/** A direction of a connection. */
public enum Direction {
    /** From the client to the server: requests. */
    TO_SERVER,
    /** From the server to the client: answers and notifications. */
    FROM_SERVER
}
