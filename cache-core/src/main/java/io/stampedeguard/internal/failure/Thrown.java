package io.stampedeguard.internal.failure;

import io.stampedeguard.codec.KeyEncoder;
import java.util.ArrayList;
import java.util.List;
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

    /**
     * Returns an exception as a log can show it with its stack trace: the same one, unless a text of it or of its causes has
     * control characters, is very long, or cannot be obtained, or there are too many of them to look at.
     */
    public static Throwable loggable(Throwable thrown) {
        List<Throwable> all = new ArrayList<>(withCauses(thrown));
        for (int at = 0; at < all.size() && at < MOST_CAUSES; at++) {
            for (Throwable suppressed : all.get(at).getSuppressed()) {
                all.addAll(withCauses(suppressed));
            }
        }
        boolean isLookedAt = all.size() < MOST_CAUSES && all.stream().allMatch(Thrown::isPrintable);
        return isLookedAt ? thrown : Shown.of(withCauses(thrown));
    }

    private static boolean isPrintable(Throwable thrown) {
        try {
            String text = thrown.toString();
            return KeyEncoder.printable(text).equals(text);
        } catch (Throwable e) {
            rethrowFatal(e);
            return false;
        }
    }

    /** Returns the class and message of an exception as one printable line. */
    public static String textOf(Throwable thrown) {
        try {
            return KeyEncoder.printable(String.valueOf(thrown));
        } catch (Throwable e) {
            rethrowFatal(e);
            return thrown.getClass().getName() + ", whose text cannot be obtained";
        }
    }

    /** An exception and its causes in printable texts. */
    @SuppressWarnings("OverrideThrowableToString") // its message is the text of the original
    private static final class Shown extends Exception {
        private static final long serialVersionUID = 1;

        private Shown(Throwable original, @Nullable Shown cause) {
            super(textOf(original), cause);
            try {
                setStackTrace(original.getStackTrace());
            } catch (Throwable e) { // it has none
                rethrowFatal(e);
            }
        }

        static Shown of(List<Throwable> chain) {
            Shown cause = null;
            for (int at = chain.size() - 1; at > 0; at--) {
                cause = new Shown(chain.get(at), cause);
            }
            return new Shown(chain.get(0), cause);
        }

        @Override
        @SuppressWarnings("OverrideThrowableToString") // the class of the original is named, not this one
        public String toString() {
            return String.valueOf(getMessage()); // which begins with the class of the original
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
