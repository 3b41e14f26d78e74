package io.stampedeguard.report;

import io.stampedeguard.codec.KeyEncoder;

/**
 * A key that callers wait for. <em>Immutable.</em>
 *
 * @param key the text of the key, without the cache's name
 * @param waits the approximate number of recent waits for a load of it in this process; waits of some minutes ago count less
 *     and less. Never too high; for keys with few waits it may be too low
 */
public record HotKey(String key, long waits) {
    /** Returns the key, escaped for a log line, and the number. */
    @Override
    public String toString() {
        return KeyEncoder.shown(key) + " (" + waits + ")";
    }
}
