package io.stampedeguard.testkit;

import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The gauges of the caches that this listener was added to, in the order in which they were opened. <em>Thread-safe.</em> */
public final class OpenGauges implements CacheListener {
    private final List<CacheGauges> gauges = new CopyOnWriteArrayList<>();

    @Override
    public void onOpen(String cache, CacheGauges opened) {
        gauges.add(opened);
    }

    /** Returns the gauges of one cache. */
    public CacheGauges get(int cache) {
        return gauges.get(cache);
    }
}
