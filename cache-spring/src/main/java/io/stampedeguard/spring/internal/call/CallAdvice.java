package io.stampedeguard.spring.internal.call;

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
