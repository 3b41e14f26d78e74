package io.stampedeguard.internal.failure;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a user callback has thrown. Its methods {@code getCause} and {@code getMessage} may be user code as well: causes may form a
 * cycle, and both methods may throw.
 */
public final class Thrown {
    private static final int MOST_CAUSES = 50;

    private Thrown() {}

    /**
     * Rethrows what no program can be expected to survive: a {@link VirtualMachineError}, such as an {@link OutOfMemoryError}, and
     * the end of a thread by {@code Thread.stop}. Has no effect for any other exception or error: the callback has failed. A
     * {@link StackOverflowError} is among these, because the stack has been unwound.
     */
    public static void rethrowFatal(Throwable thrown) {
        if (isFatal(thrown)) {
            throw (Error) thrown;
        }
    }

    /** Returns whether {@link #rethrowFatal} would throw it. */
    public static boolean isFatal(Throwable thrown) {
        return (thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError))
                || thrown.getClass().getName().equals("java.lang.ThreadDeath"); // removed from later versions of Java
    }

    /** Returns an exception and its causes, the outermost first, up to a limited number: they may form a cycle. */
    public static List<Throwable> withCauses(Throwable thrown) {
        List<Throwable> chain = new ArrayList<>(4);
        for (Throwable at = thrown; at != null && chain.size() < MOST_CAUSES; at = causeOf(at)) {
            chain.add(at);
        }
        return chain;
    }

    private static @Nullable Throwable causeOf(Throwable thrown) {
        try {
            return thrown.getCause();
        } catch (Throwable e) {
            rethrowFatal(e);
            return null;
        }
    }

    /** Writes an exception to a log. If it cannot be shown, because one of its methods throws, its class is written instead. */
    public static void log(Throwable thrown, Consumer<Throwable> line) {
        try {
            line.accept(thrown);
        } catch (Throwable e) {
            rethrowFatal(e);
            line.accept(new IllegalStateException(
                    "a " + thrown.getClass().getName() + " that cannot be shown, because one of its methods throws"));
        }
    }

    /** Returns the message of an exception; {@code null} if it has none, or throws instead. */
    public static @Nullable String messageOf(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (Throwable e) {
            rethrowFatal(e);
            return null;
        }
    }
}
