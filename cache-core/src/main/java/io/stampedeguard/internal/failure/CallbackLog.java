package io.stampedeguard.internal.failure;

import io.stampedeguard.time.TimeSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;

/**
 * Logs what user callbacks throw: the first one of each kind, that is, of each class of exception, with its stack trace; of the
 * others one a minute, without. Whatever its methods do when the logger calls them, the caller goes on. <em>Thread-safe.</em>
 */
public final class CallbackLog {
    /** More kinds than code throws, unless it generates classes. */
    private static final int MOST_KINDS = 100;

    private final Set<String> kinds = ConcurrentHashMap.newKeySet();
    private final OnceAMinute lines;
    private final Logger log;

    /** Creates a log of one kind of callback. */
    public CallbackLog(Logger log, TimeSource time) {
        this.log = log;
        this.lines = new OnceAMinute(time);
    }

    /** Logs what a callback has thrown, if a line is due, which begins with the given text. */
    public void add(String what, Throwable thrown) {
        if (kinds.size() < MOST_KINDS && kinds.add(thrown.getClass().getName())) {
            lines.count(number -> {}); // this is the line of this minute, unless another kind follows
            warn(log, what, thrown);
        } else {
            lines.count(number -> {
                log.warn("{}: {} ({} since the last such line)", what, Thrown.textOf(thrown), number);
                debug(log, what, thrown);
            });
        }
    }

    /** Logs an exception with its stack trace as a warning; without, if the logger fails to show it. */
    public static void warn(Logger log, String message, Throwable thrown) {
        try {
            log.warn(message, Thrown.loggable(thrown));
        } catch (Throwable unshown) { // of an appender, for instance
            Thrown.rethrowFatal(unshown);
            log.warn("{}: {}", message, Thrown.textOf(thrown));
        }
    }

    /** Logs an exception like {@link #warn}, at level debug. */
    public static void debug(Logger log, String message, Throwable thrown) {
        if (!log.isDebugEnabled()) {
            return;
        }
        try {
            log.debug(message, Thrown.loggable(thrown));
        } catch (Throwable unshown) {
            Thrown.rethrowFatal(unshown);
            log.debug("{}: {}", message, Thrown.textOf(thrown));
        }
    }
}
