package io.stampedeguard.internal.failure;

import java.io.InterruptedIOException;
import java.lang.reflect.Method;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a user callback has thrown. Its methods {@code getCause} and {@code getMessage} may be user code as well: causes may form a
 * cycle, and both methods may throw.
 */
public final class Thrown {
    private static final int MOST_CAUSES = 50;

    private static final Set<String> CALLED_BY_LOGGERS = Set.of(
            "equals",
            "getCause",
            "getLocalizedMessage",
            "getMessage",
            "getStackTrace",
            "hashCode",
            "printStackTrace",
            "toString");

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

    /** Returns whether this thread was interrupted, as the exception or its causes say; not another thread that it has waited for. */
    public static boolean isInterrupt(Throwable thrown) {
        for (Throwable at : withCauses(thrown)) {
            if (at instanceof InterruptedException
                    || at instanceof ClosedByInterruptException
                    || (at instanceof InterruptedIOException && !(at instanceof SocketTimeoutException))) {
                return true;
            }
            if (at instanceof ExecutionException || at instanceof CompletionException) {
                return false;
            }
        }
        return false;
    }

    /** Returns an exception and its causes, the outermost first, up to a limited number: they may form a cycle. */
    public static List<Throwable> withCauses(Throwable thrown) {
        List<Throwable> chain = new ArrayList<>(4);
        for (Throwable at = thrown; at != null && chain.size() < MOST_CAUSES; at = causeOf(at)) {
            chain.add(at);
        }
        return chain;
    }

    /** Returns the cause of an exception; {@code null} if it has none, or throws instead. */
    public static @Nullable Throwable causeOf(Throwable thrown) {
        try {
            return thrown.getCause();
        } catch (Throwable e) {
            rethrowFatal(e);
            return null;
        }
    }

    /**
     * Returns an exception as a log can show it with its stack trace: the same one, unless a method that a logger calls is user
     * code, which may throw there, of it or of its causes; or a text has control characters, or is very long; or there are too
     * many of them to look at.
     */
    static Throwable loggable(Throwable thrown) {
        List<Throwable> all = new ArrayList<>(withCauses(thrown));
        for (int at = 0; at < all.size() && at < MOST_CAUSES; at++) {
            for (Throwable suppressed : all.get(at).getSuppressed()) {
                all.addAll(withCauses(suppressed));
            }
        }
        boolean isLookedAt = all.size() < MOST_CAUSES && all.stream().allMatch(Thrown::isPlain);
        return isLookedAt ? thrown : Shown.of(thrown, new AtomicInteger(MOST_CAUSES));
    }

    private static boolean isPlain(Throwable thrown) {
        try {
            if (overrides(thrown.getClass())) {
                return false;
            }
            String text = thrown.toString();
            return ShownText.printable(text).equals(text);
        } catch (Throwable e) {
            rethrowFatal(e);
            return false;
        }
    }

    /** Returns whether a class that is not of the JDK has a method of its own that a logger calls. */
    private static boolean overrides(Class<?> type) {
        for (Class<?> at = type; at != null && !isOfJdk(at.getClassLoader()); at = at.getSuperclass()) {
            if (Stream.of(at.getDeclaredMethods()).map(Method::getName).anyMatch(CALLED_BY_LOGGERS::contains)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOfJdk(@Nullable ClassLoader loader) {
        return loader == null || loader.equals(ClassLoader.getPlatformClassLoader());
    }

    /** Returns the class and message of an exception as one printable line. */
    public static String textOf(Throwable thrown) {
        try {
            return ShownText.printable(String.valueOf(thrown));
        } catch (Throwable e) {
            rethrowFatal(e);
            return thrown.getClass().getName() + ", whose text cannot be obtained";
        }
    }

    /** An exception, its causes, and what they suppressed, in printable texts. */
    @SuppressWarnings("OverrideThrowableToString") // its message is the text of the original
    private static final class Shown extends Exception {
        private static final long serialVersionUID = 1;

        private Shown(Throwable original, @Nullable Shown cause) {
            super(textOf(original), cause);
            try {
                setStackTrace(original.getStackTrace());
            } catch (Throwable e) { // it has none
                rethrowFatal(e);
                setStackTrace(new StackTraceElement[0]);
            }
        }

        /** Copies up to {@code left} exceptions: they may form a cycle. */
        static Shown of(Throwable original, AtomicInteger left) {
            boolean isLast = left.decrementAndGet() <= 0;
            Throwable cause = isLast ? null : causeOf(original);
            Shown shown = new Shown(original, cause == null ? null : of(cause, left));
            for (Throwable suppressed : original.getSuppressed()) {
                if (left.get() > 0) {
                    shown.addSuppressed(of(suppressed, left));
                }
            }
            return shown;
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
