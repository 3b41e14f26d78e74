package io.stampedeguard.testkit;

import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.KeyFilter;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A filter that is never wrong, because it contains all keys, and that fails on request. */
public final class SetFilter<K> implements KeyFilter<K> {
    private final Set<K> keys = ConcurrentHashMap.newKeySet();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean failsToAnswer;
    private volatile boolean failsToAdd;

    /** Creates a filter that contains some keys. */
    public SetFilter(Set<K> known) {
        keys.addAll(known);
    }

    @Override
    public boolean mightContain(K key) {
        asked.incrementAndGet();
        if (failsToAnswer) {
            throw new IllegalStateException("filter fails to answer, as the test wants");
        }
        return keys.contains(key);
    }

    @Override
    public void add(K key) {
        if (failsToAdd) {
            throw new IllegalStateException("filter fails to add, as the test wants");
        }
        keys.add(key);
    }

    @Override
    public FilterState state() {
        return new FilterState(!failsToAnswer, false, Long.MAX_VALUE, 0, 0, keys.size(), 0);
    }

    /** Returns the number of lookups. */
    public int asked() {
        return asked.get();
    }

    /** Makes lookups fail. */
    public void failsToAnswer(boolean fails) {
        failsToAnswer = fails;
    }

    /** Makes additions fail. */
    public void failsToAdd(boolean fails) {
        failsToAdd = fails;
    }
}
