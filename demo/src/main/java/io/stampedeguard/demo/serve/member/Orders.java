package io.stampedeguard.demo.serve.member;

import io.stampedeguard.demo.origin.Origin;
import io.stampedeguard.testbed.Daemon;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;

/** The parent's orders to a process, which are executed one after another. For one thread. */
public final class Orders {
    public static final String FILLED = "filled";
    public static final String SCRAPED = "scraped";
    public static final String FILTER_BUILT = "filter-built";
    public static final String FILTER_NOT_BUILT = "filter-not-built";

    /** Sent when a process begins to load the hot key, with its counts, since it may be killed before its next report. */
    public static final String LOADS_HOT = "loads-hot";

    private final FleetLink link;
    private final MemberCache cache;
    private final SlowableOrigin load;
    private final Callers callers;
    private final Origin origin;

    /** Whether the previous attempt to build the filter has failed. */
    private boolean isFilterLacking;

    Orders(FleetLink link, MemberCache cache, SlowableOrigin load, Callers callers, Origin origin) {
        this.link = link;
        this.cache = cache;
        this.load = load;
        this.callers = callers;
        this.origin = origin;
    }

    public static Message fill() {
        return Message.of("fill");
    }

    public static Message expireHot() {
        return Message.of("expire-hot");
    }

    public static Message expireAll() {
        return Message.of("expire-all");
    }

    public static Message sendNonexistentKeys(long millis) {
        return Message.of("send-nonexistent-keys").with("millis", millis);
    }

    /**
     * Applies the state: {@code queryMillis} is the database's time per query, {@code near} whether the guarded fleet has near caches,
     * {@code asks} whether there are callers.
     */
    public static Message live(long queryMillis, boolean near, boolean asks) {
        return Message.of("live")
                .with("queryMillis", queryMillis)
                .with("near", near)
                .with("asks", asks);
    }

    public static Message buildFilter() {
        return Message.of("build-filter");
    }

    public static Message scrape() {
        return Message.of("scrape");
    }

    void obeyInBackground() {
        Daemon.start("orders", this::obey);
    }

    private void obey() {
        try {
            while (true) {
                obey(link.receive());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void fillCache() {
        Load.keys().forEach(cache.products()::get);
        cache.products().buildFilter(origin::numbers);
        link.send(Message.of(FILLED));
    }

    /** The parent retries if this fails. That is no news the first time: Redis has just been started, and may not answer yet. */
    private void rebuildFilter() {
        boolean wasLacking = isFilterLacking;
        isFilterLacking = true;
        try {
            cache.products().buildFilter(origin::numbers);
            isFilterLacking = false;
        } catch (RuntimeException e) {
            if (wasLacking) {
                throw e;
            }
        } finally {
            link.send(Message.of(isFilterLacking ? FILTER_NOT_BUILT : FILTER_BUILT));
        }
    }

    private void live(Message order) {
        load.takeFromNowOn(order.number("queryMillis"));
        cache.near(Boolean.parseBoolean(order.text("near")));
        if (Boolean.parseBoolean(order.text("asks"))) {
            callers.startOnce();
        }
    }

    /** An order may fail, for instance without Redis; the page shows the result. */
    private void obey(Message order) {
        try {
            switch (order.verb()) {
                case "fill" -> fillCache();
                case "expire-hot" -> cache.products().expire(Load.HOT);
                case "expire-all" -> Load.keys().forEach(cache.products()::expire);
                case "send-nonexistent-keys" -> callers.attackFor(order.number("millis"));
                case "live" -> live(order);
                case "build-filter" -> rebuildFilter();
                case "scrape" ->
                    link.send(Message.of(SCRAPED).with("text", cache.meters().scrape()));
                default -> throw new IllegalArgumentException("unknown order: " + order);
            }
        } catch (RuntimeException e) {
            System.err.println("a process of the fleet could not " + order.verb() + ": " + e.getMessage());
        }
    }
}
