package io.stampedeguard.report;

import io.stampedeguard.codec.KeyText;

/**
 * A key that callers wait for. <em>Immutable.</em>
 *
 * @param key the text of the key, without the cache's name
 * @param waits about how often somebody has waited for a load of it in this process lately: waits of more than some minutes ago
 *     count for less and less. At least so often; of keys that are seldom waited for some waits may be missing
 */
public record HotKey(String key, long waits) {
    /** Returns the key, fit for a log line, and the number. */
    @Override
    public String toString() {
        return KeyText.shown(key) + " (" + waits + ")";
    }
}
