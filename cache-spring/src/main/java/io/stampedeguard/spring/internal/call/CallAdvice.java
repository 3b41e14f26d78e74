package io.stampedeguard.spring.internal.call;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.spring.internal.value.NotStorableException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the log says once of each method whose calls of a cache cost more than they need to. <em>Thread-safe.</em> */
final class CallAdvice {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedCache.class);

    private final String name;
    private final OnceEach advised = new OnceEach();

    CallAdvice(String name) {
        this.name = name;
    }

    void onType(Object key, @Nullable String where) {
        if (advised.isFirst("type of " + where)) {
            LOG.warn(
                    "Cache '{}' has a value of another type than that of {} for a key of {}: another method stores it. The method is"
                            + " called, and its result replaces the value. Use different caches, or different keys.",
                    name,
                    where,
                    key.getClass().getTypeName());
        }
    }

    /** Passes on a failure of a put that is none of its value. */
    void onValue(IllegalArgumentException ofPut, @Nullable String where) {
        Throwable cause = ofPut.getCause();
        if (cause == null) {
            throw ofPut;
        }
        if (!(cause instanceof NotStorableException) && advised.isFirst("value of " + where)) {
            LOG.warn(
                    "Cache '{}': what {} puts is not stored, and its key is removed: {}: {}",
                    name,
                    where == null ? "a caller" : where,
                    ofPut.getMessage(),
                    KeyEncoder.printable(String.valueOf(cause.getMessage())));
        }
    }

    void onWait(Duration maxWait, @Nullable String where) {
        String method = where == null ? "a caller" : where;
        if (advised.isFirst(method)) {
            LOG.info(
                    "Cache '{}': {} waited {} for another caller's computation, in a transaction that holds a connection"
                            + " meanwhile, and was then called without storing its result (stampede.transactions.wait)."
                            + " Call it outside of the transaction.",
                    name,
                    method,
                    maxWait);
        }
    }
}
