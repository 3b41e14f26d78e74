package io.stampedeguard.internal.load;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.OriginState;
import io.stampedeguard.internal.call.LoadFunction;
import io.stampedeguard.internal.call.LoadPermits;
import io.stampedeguard.internal.call.LoadPermits.Permit;
import io.stampedeguard.internal.call.LoaderInvoker;
import io.stampedeguard.internal.call.OriginGuard;
import io.stampedeguard.internal.call.Publisher;
import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.lease.KeyRequest.Phase;
import io.stampedeguard.internal.lease.LeaseClient;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.peer.PeerResults;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.loader.WaitTimeoutException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Loads in the background, for one key or for many: under one permit, if one is free, all leases are requested at once, and the
 * loader is invoked once for all that are granted, or for which neither a read nor the request was answered. Where {@link
 * LeaderLoad} would wait, and while the {@link OriginGuard} defers what nobody waits for, it gives up. <em>Thread-safe.</em>
 */
public final class BackgroundLoad<K, V> {
    /**
     * The time for which a key rests after a reload in the background, so that it is not tried again at each hit of the near
     * cache: {@code brief} after one that may have come to nothing; no entry in use goes stale meanwhile if it was stored. A key
     * that cools down does not rest, because the store then answers the next request.
     */
    public record Rests(Duration brief, Duration withoutStore) {
        public static Rests of(CachePolicy policy) {
            Duration quarter = policy.softTtl().dividedBy(4);
            Duration brief = quarter.compareTo(policy.maxPollInterval()) < 0 ? quarter : policy.maxPollInterval();
            return new Rests(brief, policy.maxPollInterval());
        }
    }

    private final LoadPermits permits;
    private final OriginGuard guard;
    private final LeaseClient<K, V> leaseClient;
    private final LoaderInvoker<K, V> calls;
    private final Publisher<K, V> publisher;
    private final PeerResults<K, V> peers;
    private final Rests resting;
    private final TimeSource time;
    private final CacheEvents events;

    public BackgroundLoad(
            CacheContext context,
            LoadPermits permits,
            OriginGuard guard,
            LeaseClient<K, V> leaseClient,
            LoaderInvoker<K, V> calls,
            Publisher<K, V> publisher,
            PeerResults<K, V> peers) {
        this.permits = permits;
        this.guard = guard;
        this.leaseClient = leaseClient;
        this.calls = calls;
        this.publisher = publisher;
        this.peers = peers;
        this.resting = Rests.of(context.policy());
        this.time = context.time();
        this.events = context.events();
    }

    /** Leads flights, which the caller completes afterwards; {@code rests} takes for how long it is pointless to retry a key. */
    public void lead(List<KeyRequest<K, V>> led, LoadFunction<K, V> loader, Map<String, Duration> rests)
            throws InterruptedException {
        Permit permit = guard.state() == OriginState.DEFERRED ? null : permits.tryAcquire();
        if (permit == null) {
            drop(led, rests);
            return;
        }
        try {
            led.forEach(each -> each.flight().beginAttempt());
            List<KeyRequest<K, V>> granted = granted(led, rests);
            if (!granted.isEmpty()) {
                Duration rest = load(granted, loader, permit);
                granted.forEach(target -> rests.put(target.storeKey(), rest));
            }
        } finally {
            permit.release();
        }
    }

    private void drop(List<KeyRequest<K, V>> led, Map<String, Duration> rests) {
        led.forEach(dropped -> {
            events.report(EventType.REFRESH_DROPPED);
            rests.put(dropped.storeKey(), resting.brief());
        });
    }

    /** Returns for how long there is no point in trying again. */
    private Duration load(List<KeyRequest<K, V>> granted, LoadFunction<K, V> loader, Permit permit)
            throws InterruptedException {
        try {
            calls.load(granted, loader, permit);
            LoadResult<V> result = granted.get(0).result();
            if (result instanceof LoadResult.Failure<V> failure) {
                events.fault(FaultSource.LOADER, failure.cause());
                return failure.coolsDown() ? Duration.ZERO : resting.brief();
            }
            if (!(result instanceof LoadResult.NotBegun)) {
                return resting.brief();
            }
        } catch (OriginBusyException e) { // the executor for loaders rejects it
        }
        granted.forEach(dropped -> events.report(EventType.REFRESH_DROPPED));
        return resting.brief();
    }

    private List<KeyRequest<K, V>> granted(List<KeyRequest<K, V>> led, Map<String, Duration> rests) {
        try {
            leaseClient.requestAll(led, Deadline.in(resting.brief(), time));
        } catch (WaitTimeoutException e) { // no connection to the store
            drop(led, rests);
            return List.of();
        }
        boolean isSorted = false;
        try {
            List<KeyRequest<K, V>> granted = sort(led, rests);
            isSorted = true;
            return granted;
        } finally {
            if (!isSorted) { // the codec has thrown an Error
                leaseClient.giveBackAll(led);
            }
        }
    }

    private List<KeyRequest<K, V>> sort(List<KeyRequest<K, V>> led, Map<String, Duration> rests) {
        List<KeyRequest<K, V>> granted = new ArrayList<>();
        List<KeyRequest<K, V>> unanswered = new ArrayList<>();
        for (KeyRequest<K, V> each : led) {
            LeaseAttempt instead = each.instead();
            if (instead != null) {
                rests.put(each.storeKey(), peers.restAfter(instead, each.lookup(), each.flight()));
                each.flight().completeEmpty(); // it is not pursued while the others are loaded
            } else {
                each.become(Phase.LOAD);
                boolean isWithoutStore = !each.lookup().storeAnswers() && !each.isAnswered();
                (each.certainLease() != null || isWithoutStore ? granted : unanswered).add(each);
                EventType unleased = isWithoutStore ? each.unleased() : null;
                if (unleased != null) {
                    events.report(unleased);
                }
            }
        }
        if (granted.size() < led.size()) {
            List<KeyRequest<K, V>> lost = leaseClient.lostMeanwhile(granted);
            granted.removeAll(lost);
            unanswered.addAll(lost);
        }
        unanswered.forEach(target -> {
            rests.put(target.storeKey(), resting.brief());
            target.flight().completeEmpty();
        });
        publisher.giveBack(unanswered);
        return granted;
    }
}
