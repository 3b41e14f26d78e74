package io.stampedeguard.cli;

import io.stampedeguard.internal.entry.StoredReports;
import io.stampedeguard.report.LeaseReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * A search for the leases of a fleet and the processes that wait for them:
 *
 * <ol>
 *   <li>on each master, find the leases by {@code SCAN}, up to a bound, and the channels of leases with subscribers;
 *   <li>for each, query how many connections subscribe to its channel, plain or sharded. A process that waits for a key uses one
 *       connection;
 *   <li>inspect each lease. One that has ended meanwhile, and for which no process waits, is left out.
 * </ol>
 *
 * <p>For one thread.
 */
final class HotLook {
    private static final int MOST_INSPECTED = 10_000;

    private final Server server;
    private final LeaseNames names;
    private final long mostScanned;
    private final Map<String, Long> listening = new HashMap<>();
    private boolean cutShort;

    HotLook(Server server, String keysBeginWith, long mostScanned) {
        this.server = server;
        this.names = new LeaseNames(server.prefix(), keysBeginWith);
        this.mostScanned = mostScanned;
    }

    /** A key that is being loaded, cools down, or has waiting processes: so many wait for the end of its load. */
    record Hot(String storeKey, LeaseReport lease, long processes) {}

    /** Returns the keys, sorted by the number of waiting processes, highest first. */
    List<Hot> look() {
        boolean allAnswered = server.eachMaster((where, master) -> find(master));
        cutShort |= !allAnswered; // in one expression, what the search has noted here meanwhile would be lost
        List<Map.Entry<String, Long>> found = new ArrayList<>(listening.entrySet());
        found.sort(Map.Entry.<String, Long>comparingByValue().reversed());
        if (found.size() > MOST_INSPECTED) {
            cutShort = true;
            found = found.subList(0, MOST_INSPECTED);
        }
        List<Hot> all = new ArrayList<>();
        for (Map.Entry<String, Long> each : found) {
            String storeKey = names.storeKey(each.getKey());
            LeaseReport lease = StoredReports.lease(
                    server.store().shared().inspect(storeKey).lease(), null);
            if (each.getValue() > 0 || lease.state() != LeaseReport.State.FREE) {
                all.add(new Hot(storeKey, lease, each.getValue()));
            }
        }
        all.sort(Comparator.comparingLong(Hot::processes).reversed().thenComparing(Hot::storeKey));
        return all;
    }

    /** Returns whether some Redis keys were not scanned: the bound was reached, or a member did not answer. */
    boolean isCutShort() {
        return cutShort;
    }

    private void find(Jedis master) {
        boolean scanned = new KeyScan(names.pattern(), mostScanned, false).scan(master, some -> {
            some.forEach(this::note);
            return true;
        });
        cutShort |= !scanned && mostScanned > 0;
        master.pubsubChannels(names.pattern()).forEach(this::note);
        inSteps(listening.keySet(), some -> count(master.pubsubNumSub(some)));
        if (server.isCluster()) {
            findSharded(master);
        }
    }

    /** Only Redis 7 and later have sharded channels. */
    private void findSharded(Jedis master) {
        try {
            List<String> channels = master.pubsubShardChannels(names.pattern());
            channels.forEach(this::note);
            inSteps(channels, some -> count(master.pubsubShardNumSub(some)));
        } catch (JedisDataException older) {
            return;
        }
    }

    /** This number of names at once delays the server for a moment only. */
    private static void inSteps(Collection<String> names, Consumer<String[]> step) {
        List<String> all = List.copyOf(names);
        for (int from = 0; from < all.size(); from += KeyScan.IN_ONE_STEP) {
            step.accept(all.subList(from, Math.min(all.size(), from + KeyScan.IN_ONE_STEP))
                    .toArray(String[]::new));
        }
    }

    private void note(String name) {
        if (names.isOne(name)) {
            listening.putIfAbsent(name, 0L);
        }
    }

    private void count(Map<String, Long> listeners) {
        listeners.forEach((name, number) -> listening.computeIfPresent(name, (same, before) -> before + number));
    }
}
