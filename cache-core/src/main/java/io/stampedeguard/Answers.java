package io.stampedeguard;

import io.stampedeguard.loader.CacheException;

/** Receives what became of the keys of one call: for each key one answer, or one failure. <em>Not thread-safe.</em> */
interface Answers<K, V> {
    /** Takes what a flight brought for a key. */
    void outcome(Look<K, V> look, Outcome<V> outcome);

    /** Takes the reason why a key has no answer. */
    void failure(Look<K, V> look, CacheException failure);
}
