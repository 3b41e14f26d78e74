package io.stampedeguard.testbed.fleet;

/**
 * Thrown if a member of a {@link Fleet} has ended. The message has its exit code and, if it has written one, the first line on
 * standard error that tells why.
 */
public final class MemberEndedException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    MemberEndedException(String message) {
        super(message);
    }
}
