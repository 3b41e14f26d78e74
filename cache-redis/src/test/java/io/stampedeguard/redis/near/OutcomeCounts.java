package io.stampedeguard.redis.near;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.testbed.fleet.Message;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the events of a cache. <em>Thread-safe.</em> */
final class OutcomeCounts implements CacheListener {
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    private void count(String name) {
        counts.computeIfAbsent(name, any -> new LongAdder()).increment();
    }

    /** Returns the counts since the previous call. */
    Message take(Message into) {
        Message all = into;
        for (Map.Entry<String, LongAdder> count : counts.entrySet()) {
            all = all.with(count.getKey(), count.getValue().sumThenReset());
        }
        return all;
    }

    /** The others are counted as reads of the store, loads, and waits. */
    @Override
    public void onRead(String cache, AnswerSource source) {
        if (source == AnswerSource.NEAR || source == AnswerSource.NEAR_DEGRADED) {
            count(source.name());
        }
    }

    @Override
    public void onEvent(String cache, CacheEvent event) {
        String type = event.type().name();
        count(type.startsWith("WAIT_") ? "WAITED" : type); // in whatever way the wait ended
    }
}
