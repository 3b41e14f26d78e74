package io.stampedeguard;

import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.internal.call.CallerContext;
import io.stampedeguard.internal.call.FleetBudget;
import io.stampedeguard.internal.call.LoadPermits;
import io.stampedeguard.internal.call.LoaderInvoker;
import io.stampedeguard.internal.call.OriginGuard;
import io.stampedeguard.internal.call.Publisher;
import io.stampedeguard.internal.flight.SingleFlight;
import io.stampedeguard.internal.lease.LeaseClient;
import io.stampedeguard.internal.lease.LeaseEnds;
import io.stampedeguard.internal.lease.LeaseRenewer;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.load.BackgroundLoad;
import io.stampedeguard.internal.load.BackgroundRefresh;
import io.stampedeguard.internal.load.LeaderLoad;
import io.stampedeguard.internal.load.RefreshQueue;
import io.stampedeguard.internal.near.NearCache;
import io.stampedeguard.internal.observe.Advisor;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.observe.DuplicateNames;
import io.stampedeguard.internal.observe.HotKeys;
import io.stampedeguard.internal.observe.ListenerList;
import io.stampedeguard.internal.observe.StatsRecorder;
import io.stampedeguard.internal.observe.StoreLog;
import io.stampedeguard.internal.peer.FlightWait;
import io.stampedeguard.internal.peer.PeerResults;
import io.stampedeguard.internal.read.AsyncReads;
import io.stampedeguard.internal.read.Gauges;
import io.stampedeguard.internal.read.KeyInspector;
import io.stampedeguard.internal.read.MissResolver;
import io.stampedeguard.internal.read.ReadPath;
import io.stampedeguard.internal.read.StaleFallback;
import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.internal.spi.ChangeMemory;
import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.internal.storage.Decoders;
import io.stampedeguard.internal.storage.EntryWriter;
import io.stampedeguard.internal.storage.KeyAdmission;
import io.stampedeguard.internal.storage.ObservedStore;
import io.stampedeguard.internal.storage.PendingChanges;
import io.stampedeguard.internal.storage.ReadBack;
import io.stampedeguard.internal.storage.StoreReads;
import io.stampedeguard.internal.thread.AsyncThreads;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.internal.thread.Deadline;
import io.stampedeguard.internal.write.AsyncWrites;
import io.stampedeguard.internal.write.WritePath;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.SharedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The wiring of one cache: creates each part once, in the order of the dependencies between packages, from storage up to the
 * paths of callers. No other class assembles parts.
 */
final class CacheAssembly<K, V> {
    final CacheContext context;
    final KeyAdmission<K> admission;
    final ReadPath<K, V> readPath;
    final AsyncReads<K, V> asyncReads;
    final WritePath<K, V> writePath;
    final AsyncWrites asyncWrites;
    final @Nullable StatsRecorder stats;
    final Gauges gauges;
    final KeyInspector<K, V> keyInspector;
    final RefreshQueue refreshQueue;
    final OriginGuard originGuard;
    final LoaderInvoker<K, V> calls;
    final @Nullable Loader<? super K, ? extends V> defaultLoader;
    private final NearCache<K, V> near;
    private final Marks marks;
    private final PendingChanges pending;
    private final BackgroundTasks tasks;
    private final BackgroundTasks publications;
    private final LeaseRenewer renewer;
    private final LoadPermits permits;
    private final @Nullable FleetBudget budget;
    private final @Nullable BreakerEvents breaker;
    private final Consumer<BreakerState> onBreaker;
    private final Advisor advisor;
    private final Runnable forgetName;
    private @Nullable Watch breakerWatch;
    private @Nullable Watch marksWatch;

    /** Wires the parts that a builder has collected; {@code cacheStore} and {@code codec} are what was passed to the builder. */
    CacheAssembly(StampedeGuardedCacheBuilder<K, V> from, CacheStore cacheStore, ValueCodec<V> codec) {
        SharedStore given = cacheStore.shared();
        CachePolicy policy = from.policy;
        stats = from.recordsStats ? new StatsRecorder() : null;
        List<CacheListener> listeners = new ArrayList<>(from.listeners);
        if (stats != null) {
            listeners.add(stats);
        }
        CacheEvents events =
                new CacheEvents(from.name, ListenerList.of(listeners), from.time, StoreLog.of(cacheStore, from.time));
        context = new CacheContext(from.name, policy, from.time, events, new HotKeys(from.name, from.time));
        defaultLoader = from.loader;
        AsyncThreads asyncThreads = from.asyncThreads();
        CallerContext callers = from.contextCarrier == null ? null : new CallerContext(from.contextCarrier, events);

        Decoders<V> decoders = new Decoders<>(codec);
        near = new NearCache<>(context, from.nearCache, given, decoders::plainLength);
        BackgroundTasks replays = new BackgroundTasks(from.name, "changes", from.time);
        ObservedStore store = new ObservedStore(context, given, replays);
        pending = store.pending();
        admission = new KeyAdmission<>(from.name, from.keyEncoder, from.keyValidator, from.keyFilter, events);
        ChangeMemory memory = given.ability(ChangeMemory.class);
        if (memory != null && !policy.changeMemory().isZero()) {
            memory.remember(from.name, policy.changeMemory());
        }
        marks = Marks.of(given.ability(Marks.Keeper.class), from.name);
        EntryWriter<V> writer = new EntryWriter<>(codec, given, policy, from.time);
        ReadBack<V> readBack = new ReadBack<>(context, codec);
        StoreReads<K, V> reads = new StoreReads<>(context, admission, store, marks, near, decoders, readBack);

        tasks = new BackgroundTasks(from.name, "tasks", from.time);
        publications = new BackgroundTasks(from.name, "publications", from.time);
        renewer = new LeaseRenewer(context, store, tasks);
        LeaseEnds leases = new LeaseEnds(context, store, renewer, tasks);
        LeaseClient<K, V> leaseClient = new LeaseClient<>(context, store, leases, renewer);

        permits = new LoadPermits(context, tasks);
        originGuard = new OriginGuard(context, permits, tasks);
        Integer originBudget = policy.originBudget();
        FleetMembers fleet = given.ability(FleetMembers.class);
        budget = originBudget != null && fleet != null ? new FleetBudget(context, originBudget, fleet, permits) : null;
        Publisher<K, V> publisher =
                new Publisher<>(context, store, marks, writer, readBack, near, admission, leases, tasks, publications);
        calls = new LoaderInvoker<>(context, from.loaderExecutor, callers, permits, originGuard, publisher, renewer);

        LeaseNotifications notices = given.ability(LeaseNotifications.class);
        PeerResults<K, V> peers = new PeerResults<>(context, store, reads, near);
        SingleFlight<LoadResult<V>> flights = new SingleFlight<>(asyncThreads::complete, from.time::monotonicNanos);
        FlightWait<K, V> flightWait = new FlightWait<>(context);

        LeaderLoad<K, V> leaderLoad = new LeaderLoad<>(context, store, notices, permits, leaseClient, calls, peers);
        BackgroundLoad<K, V> backgroundLoad =
                new BackgroundLoad<>(context, permits, originGuard, leaseClient, calls, publisher, peers);

        refreshQueue = new RefreshQueue(context, permits, callers);
        BackgroundRefresh<K, V> refresh =
                new BackgroundRefresh<>(context, refreshQueue, originGuard, flights, reads, backgroundLoad);

        StaleFallback<K, V> staleFallback = new StaleFallback<>(context, store, reads, near, refresh);
        MissResolver<K, V> misses =
                new MissResolver<>(context, reads, refresh, staleFallback, flights, flightWait, permits, leaderLoad);
        readPath = new ReadPath<>(
                context, admission, near, leaseClient, marks, reads, refresh, staleFallback, misses, flights, permits);
        asyncReads = new AsyncReads<>(context, callers, asyncThreads, readPath, misses, flights, flightWait);
        writePath = new WritePath<>(
                context, admission, marks, writer, readBack, store, near, flights, refreshQueue, leases);
        asyncWrites = new AsyncWrites(from.name, asyncThreads);
        keyInspector = new KeyInspector<>(context, admission, near, store, marks, flights);

        breaker = given.ability(BreakerEvents.class);
        onBreaker = state -> {
            events.report(state);
            noteBreaker();
            if (state == BreakerState.CLOSED && pending.size() != 0) {
                replays.run(pending::replay);
            }
        };
        gauges = new Gauges(
                permits, originGuard, budget, events, pending, breaker, near.isForHits() ? near : null, admission);
        advisor = new Advisor(policy, admission::filterState, events);
        forgetName = DuplicateNames.add(from.name, policy, codec.identity());
    }

    /** Reports that the cache is open. */
    void open() {
        context.events().advisedBy(advisor);
        context.events().open(gauges);
        advisor.opened();
        if (budget != null) {
            budget.open();
        }
        breakerWatch = breaker == null ? null : breaker.watchBreaker(onBreaker);
        marksWatch = marks.watch(near::outdateAll);
        noteBreaker();
    }

    /** Notes the state of the circuit breaker for the log, since it may have changed while no cache was watching. */
    private void noteBreaker() {
        if (breaker != null) {
            context.events().breaker(breaker);
        }
    }

    /**
     * Closes the parts in this order:
     * <ol>
     *   <li>no load begins any more, and callers that wait for a permit fail;
     *   <li>what runs may end within the {@code loadTimeout}: loads with their publication, then the futures that depend on them.
     *       A loader, a listener, or a codec that closes its cache would wait for itself, and an interrupted thread does not wait;
     *   <li>loads that still run are cut off, and what still waits fails;
     *   <li>queued changes are sent once more, whether or not the circuit breaker is open; tasks release the leases, with {@code
     *       leaseTtl} as the limit: then they expire; and the process leaves the fleet;
     *   <li>all threads end.
     * </ol>
     */
    void close() {
        forgetName.run();
        if (breakerWatch != null) {
            breakerWatch.close();
        }
        boolean isWithinACache = isWithinACache();
        CountDownLatch released = permits.close();
        CountDownLatch ended = calls.close();
        boolean interrupted = !await(
                released,
                ended,
                isWithinACache ? Duration.ZERO : context.policy().loadTimeout());
        calls.cutOff();
        publications.close();
        refreshQueue.close();
        originGuard.close();
        asyncWrites.close();
        asyncReads.close(); // with the threads of both
        renewer.close();
        interrupted |= Thread.interrupted(); // as a loader of this cache that was cut off; the store is called next
        if (breaker == null) {
            pending.close();
        } else {
            breaker.sendRegardless(pending::close);
        }
        if (budget != null) {
            budget.close();
        }
        interrupted |= !finishTasks(isWithinACache && !permits.isInLoader());
        if (marksWatch != null) {
            marksWatch.close();
        }
        near.close();
        context.events().close(gauges);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether this thread is in code that a cache has called: it may wait for itself. */
    static boolean isWithinACache() {
        String internal = CacheAssembly.class.getPackageName() + ".internal.";
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().startsWith(internal)));
    }

    /** Waits for loads and futures, within the grace period; returns false if this thread was interrupted. */
    @SuppressWarnings("FutureReturnValueIgnored") // the action does not throw
    private boolean await(CountDownLatch released, CountDownLatch ended, Duration grace) {
        Deadline deadline = Deadline.in(grace, context.time());
        try {
            for (CountDownLatch loads : List.of(released, ended)) {
                context.time().await(loads, deadline.remainingNanos());
            }
            CountDownLatch answered = new CountDownLatch(1);
            CompletableFuture.allOf(asyncReads.ended(), asyncWrites.ended())
                    .whenComplete((all, failure) -> answered.countDown());
            context.time().await(answered, deadline.remainingNanos());
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** Ends the tasks; waits for those that are queued, unless this may be one; returns false if this thread was interrupted. */
    private boolean finishTasks(boolean mayBeTask) {
        CountDownLatch done = new CountDownLatch(1);
        boolean queued = tasks.run(done::countDown);
        tasks.close();
        try {
            if (queued && !mayBeTask) {
                context.time().await(done, context.policy().leaseTtl().toNanos());
            }
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }
}
