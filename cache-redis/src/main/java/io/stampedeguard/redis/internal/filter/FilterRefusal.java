package io.stampedeguard.redis.internal.filter;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.store.StoreException;

/**
 * The numeric answers of Redis to a rebuild that cannot continue; see {@code begin.lua}, {@code fill.lua}, {@code commit.lua}.
 */
final class FilterRefusal {
    private static final long DONE = 1;
    private static final long SUPERSEDED = 0;
    private static final long LOST = -1;

    private FilterRefusal() {}

    static boolean isOne(long answer) {
        return answer != DONE;
    }

    static StoreException of(long answer, String filter) {
        return because(reason(answer), filter);
    }

    static StoreException because(String reason, String filter) {
        return new StoreException("could not rebuild filter " + KeyText.shown(filter) + ": " + reason);
    }

    private static String reason(long answer) {
        if (answer == SUPERSEDED) {
            return "another rebuild has begun since";
        }
        return answer == LOST
                ? "another rebuild has ended since, or Redis has lost the data of this one: it was flushed, is full, or this"
                        + " process did not renew them in time"
                : "the server was restarted or replaced meanwhile";
    }
}
