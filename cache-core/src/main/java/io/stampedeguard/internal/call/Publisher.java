package io.stampedeguard.internal.call;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.call.Publications.Publication;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.entry.FailureText;
import io.stampedeguard.internal.flight.Flight;
import io.stampedeguard.internal.lease.KeyRequest;
import io.stampedeguard.internal.lease.LeaseEnds;
import io.stampedeguard.internal.lease.LoadResult;
import io.stampedeguard.internal.near.Copy.Taken;
import io.stampedeguard.internal.near.NearCache;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.storage.EntryWriter;
import io.stampedeguard.internal.storage.KeyAdmission;
import io.stampedeguard.internal.storage.ReadBack;
import io.stampedeguard.internal.storage.StoreReads.Stored;
import io.stampedeguard.internal.thread.BackgroundTasks;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.SharedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the results of loads, of one key or of many:
 * <ol>
 *   <li>the flight of a key under a lease leaves the map, so that no caller that arrives after the publication joins the load
 *       before it. That of a key without a lease stays until this process keeps the value: in between, a caller would find
 *       neither, and load again;
 *   <li>a value is published, or the entry that is there is extended if the loader says that it was not modified, if the lease is
 *       still held; then it answers all followers. If the lease is lost, the key was invalidated or another process has taken
 *       over: the value answers only the followers that joined before the load began, but none if it is the one that was read
 *       before they came. If the store does not answer, this process keeps the value, as one that was loaded without a lease;
 *   <li>a value that is not stored (the loader wants it so, it cannot be encoded or is too large, or the entry that is there is
 *       of use to others) is sent to the waiting callers of other processes, and later callers need not queue for the lease;
 *   <li>a value that was loaded without a lease, as the store did not answer, answers the followers that joined before the load
 *       began, and those that the store did not answer either. It is not stored, although the lease may have been granted: the
 *       request may have reached the store long after the load began, and an invalidation before it;
 *   <li>a value that was read as of an earlier time ({@link LoadedValue#asOf}) answers followers only if the store has taken it, and
 *       so has no change of the key that may be as late; or if the store gives no lease, and compares nothing;
 *   <li>a failure answers all followers, and its mark replaces the lease: the key cools down, unless {@link
 *       CachePolicy#coolDownOn} excludes the failure; then the lease is only released. An interrupt is the affair of the thread that
 *       was interrupted: the followers retry.
 * </ol>
 *
 * <p>Each key of a load of many is published by itself. They are encoded and stored in portions, so that the first need not wait
 * for the last, and those in one part of the store not for another part; those without a lease wait for no answer of the store.
 * The load of a single key is published while its caller waits, or, while others are, by a task ({@link PublicationQueue}); but not
 * that of a reload, whose caller would find the older value until then. <em>Thread-safe.</em>
 */
public final class Publisher<K, V> {
    private static final int LARGEST_PORTION = 64;

    private final SharedStore store;
    private final Marks marks;
    private final Publications<K, V> publications;
    private final NearCache<K, V> near;
    private final KeyAdmission<K> admission;
    private final CachePolicy policy;
    private final LeaseEnds leases;
    private final CacheEvents events;
    private final BackgroundTasks tasks;
    private final PublicationQueue<Publication<K, V>> queue;

    public Publisher(
            CacheContext context,
            SharedStore store,
            Marks marks,
            EntryWriter<V> writer,
            ReadBack<V> readBack,
            NearCache<K, V> near,
            KeyAdmission<K> admission,
            LeaseEnds leases,
            BackgroundTasks tasks,
            BackgroundTasks leftPublications) {
        this.store = store;
        this.marks = marks;
        this.publications = new Publications<>(context, store, writer, readBack);
        this.near = near;
        this.admission = admission;
        this.policy = context.policy();
        this.leases = leases;
        this.events = context.events();
        this.tasks = tasks;
        this.queue = new PublicationQueue<>(
                this::settleLeft,
                leftPublications::run,
                (one, other) -> store.groups(List.of(one, other)).size() == 1);
    }

    /**
     * Begins loads, as attempts of their own, before the loader is called: what is loaded now is not older than their calls. Notes
     * their stamps. What was removed since it was read, or may have been, because the request for the lease had no answer, is no
     * previous value: as "not modified" it would come back. If the store refuses the lease of a key, its value is kept until the
     * key is changed; that may wait briefly.
     */
    void begin(List<KeyRequest<K, V>> targets) {
        long stamp = Entry.stamp(marks);
        for (KeyRequest<K, V> target : targets) {
            boolean isUncertain = target.isLeaseUncertain();
            if (isUncertain && target.lookup().storeAnswers()) {
                target.lookup(target.lookup().with(near.openAside(target.storeKey(), target.isRefused())));
            }
            target.flight().beginAttempt();
            target.stamp(stamp);
            Stored<V> before = target.lookup().stored();
            if (before != null && (isUncertain || before.entry().under(marks) == null)) {
                target.lookup(target.lookup().withoutEntry());
            }
        }
    }

    /**
     * Publishes the results of a load and completes its flights, before this method returns or throws, or soon; {@code settled} runs
     * then. In either case each target has its result.
     */
    void settle(List<KeyRequest<K, V>> targets, LoaderCall.Run<V> run, Runnable settled) {
        boolean isLeft = false;
        try {
            isLeft = settleOrLeave(targets, run, settled);
        } finally {
            if (!isLeft) {
                settled.run();
            }
        }
    }

    /** Returns whether a publication was left to another thread. */
    private boolean settleOrLeave(List<KeyRequest<K, V>> targets, LoaderCall.Run<V> run, Runnable settled) {
        List<LoadedValue<V>> loaded = run.result();
        Throwable failure = loaded == null ? requireNonNull(run.failure()) : misuse(loaded);
        for (KeyRequest<K, V> target : targets) {
            if (failure != null || isNotCacheable(target)) {
                target.flight().detach();
            }
        }
        if (failure != null || loaded == null) {
            settleFailure(targets, run, requireNonNull(failure));
            return false;
        }
        try {
            boolean isMiss = targets.size() == 1 && !targets.get(0).reloads(); // a reload's caller reads nothing older
            if (isMiss && targets.get(0).certainLease() != null) {
                return settleOne(targets.get(0), loaded.get(0), run.nanos(), settled);
            }
            settleInPortions(targets, loaded, run.nanos());
            return false;
        } catch (RuntimeException | Error e) { // of the codec, for instance: nobody waits until the leases expire
            giveBack(targets);
            throw e;
        }
    }

    /** Returns why what the loader returned is a failure; {@code null} if it is not. */
    private @Nullable RuntimeException misuse(List<LoadedValue<V>> loaded) {
        for (LoadedValue<V> each : loaded) {
            if (each.asOf() != null && policy.changeMemory().isZero()) {
                return new IllegalStateException("the loader returned a value as of " + each.asOf()
                        + ", but the changeMemory of the policy is PT0S: set it, and so in all processes");
            }
        }
        return null;
    }

    /** Whether callers that come from now on may be answered by the flight: there was no answer to the request for the lease. */
    private static boolean isAnswerForNewcomers(KeyRequest<?, ?> target) {
        return target.certainLease() == null && !isNotCacheable(target);
    }

    /** Whether the store has answered that results are not stored: it gives no lease then. */
    private static boolean isNotCacheable(KeyRequest<?, ?> target) {
        return target.lease() == null && target.lookup().storeAnswers();
    }

    /** Returns whether the publication was left to another thread: then it completes the flight. */
    private boolean settleOne(KeyRequest<K, V> target, LoadedValue<V> loaded, long nanos, Runnable settled) {
        Publication<K, V> publication = publications.of(target, loaded, nanos);
        Entry entry = publication.entry();
        int bytes = entry == null ? 0 : entry.payload().remaining();
        if (queue.leave(target.storeKey(), publication, bytes, () -> endLeft(target, settled))) {
            target.flight().handOver();
            return true;
        }
        try {
            settlePortion(List.of(publication));
        } finally {
            queue.over();
        }
        return false;
    }

    private static void endLeft(KeyRequest<?, ?> target, Runnable settled) {
        try {
            target.flight().completeEmpty(); // unless it is complete
        } finally {
            settled.run();
        }
    }

    private void settleLeft(List<Publication<K, V>> all) {
        Map<String, Publication<K, V>> open = new LinkedHashMap<>(all.size() * 2);
        try {
            for (Publication<K, V> each : all) {
                if (open.containsKey(each.target().storeKey())) { // loaded again, as its lease was lost
                    settlePortions(open);
                    open.clear();
                }
                open.put(each.target().storeKey(), each);
            }
            settlePortions(open);
        } catch (RuntimeException | Error e) {
            giveBack(all.stream().map(Publication::target).toList());
            throw e;
        }
    }

    private void settlePortions(Map<String, Publication<K, V>> byKey) {
        for (List<String> storeKeys : portions(byKey.keySet())) {
            settlePortion(storeKeys.stream().map(byKey::get).toList());
        }
    }

    private void settleInPortions(List<KeyRequest<K, V>> targets, List<LoadedValue<V>> loaded, long nanos) {
        Map<String, Integer> places = new LinkedHashMap<>(targets.size() * 2);
        List<KeyRequest<K, V>> unleased = new ArrayList<>();
        long share = nanos / targets.size(); // loading one of them anew takes no longer
        for (int place = 0; place < targets.size(); place++) {
            KeyRequest<K, V> target = targets.get(place);
            if (target.certainLease() == null) {
                completeUnleased(publications.of(target, loaded.get(place), share));
                unleased.add(target);
            } else {
                places.put(target.storeKey(), place);
            }
        }
        giveBack(unleased);
        for (List<String> storeKeys : portions(places.keySet())) {
            List<Publication<K, V>> portion = new ArrayList<>(storeKeys.size());
            for (String storeKey : storeKeys) {
                int place = requireNonNull(places.get(storeKey));
                portion.add(publications.of(targets.get(place), loaded.get(place), share));
            }
            settlePortion(portion);
        }
    }

    /** Divides keys into portions, each of keys in one part of the store. */
    private List<List<String>> portions(Collection<String> storeKeys) {
        List<List<String>> portions = new ArrayList<>();
        for (List<String> group : store.groups(storeKeys)) {
            for (int from = 0; from < group.size(); from += LARGEST_PORTION) {
                portions.add(group.subList(from, Math.min(group.size(), from + LARGEST_PORTION)));
            }
        }
        return portions;
    }

    /** Reports loads that are cut off at the {@code loadTimeout}, and lets their keys cool down. Does not block. */
    void timedOut(List<KeyRequest<K, V>> targets, Duration loadTimeout, long ranNanos) {
        tasks.run(() -> {
            targets.forEach(target -> events.load(EventType.LOAD_TIMED_OUT, ranNanos));
            leases.fail(targets, target -> LoadResult.TimedOut.text(target.storeKey(), loadTimeout));
        });
    }

    /** Reports loads whose loader was not called, which is no failure of the origin, and releases their leases. Does not block. */
    void notBegun(List<KeyRequest<K, V>> targets) {
        tasks.run(() -> {
            targets.forEach(target -> events.load(EventType.LOAD_NOT_BEGUN, 0));
            abandon(targets);
        });
    }

    /** Releases the leases of targets that are not loaded any more. Does not block. */
    public void giveBack(List<KeyRequest<K, V>> targets) {
        leases.giveBack(KeyRequest.leasesOf(targets));
    }

    /** Releases the leases of targets that are not loaded. Blocks for the call of the store. */
    void abandon(List<KeyRequest<K, V>> targets) {
        leases.abandon(KeyRequest.leasesOf(targets));
    }

    private void settlePortion(List<Publication<K, V>> portion) {
        Map<HeldLease, LeaseEnd> ends = new LinkedHashMap<>(portion.size() * 2);
        for (Publication<K, V> publication : portion) {
            KeyRequest<K, V> target = publication.target();
            ends.put(requireNonNull(target.certainLease()), publication.end(policy.leaseTtl()));
            target.flight().detach(); // first: a later caller may come after a later change
        }
        Map<HeldLease, Boolean> heldToTheEnd = leases.end(ends, refused -> afterRefusal(refused, portion));
        for (Publication<K, V> publication : portion) {
            complete(publication, heldToTheEnd.get(publication.target().certainLease()));
        }
    }

    /**
     * Returns what is requested after a refusal. An entry whose extension is refused is stored as a whole: a user may lack a
     * permission. If that is refused too, the next loads can be kept: changes are noticed from now on, also without a near cache.
     * May wait briefly, the first time.
     */
    private Map<HeldLease, LeaseEnd> afterRefusal(Map<HeldLease, LeaseEnd> refused, List<Publication<K, V>> portion) {
        Map<HeldLease, LeaseEnd> again = new LinkedHashMap<>(refused);
        for (Publication<K, V> publication : portion) {
            HeldLease lease = requireNonNull(publication.target().certainLease());
            LeaseEnd end = refused.get(lease);
            if (end instanceof LeaseEnd.Extend) {
                again.put(lease, publication.stored());
            } else if (end instanceof LeaseEnd.Publish) {
                near.openAside(lease.key(), true);
            }
        }
        return again;
    }

    /** Completes the flight of a key loaded under a lease; {@code heldToTheEnd} is {@code null} if the store did not answer. */
    private void complete(Publication<K, V> publication, @Nullable Boolean heldToTheEnd) {
        KeyRequest<K, V> target = publication.target();
        boolean isToBeStored = publication.isStored();
        boolean isHeld = Boolean.TRUE.equals(heldToTheEnd);
        boolean isStored = isHeld && isToBeStored;
        if (isStored) {
            keepStored(publication, target);
        } else if (isHeld || heldToTheEnd == null) {
            keepUnstored(publication, isHeld ? Taken.YES : Taken.NO_ENTRY, publication.isForOthers(false));
        }
        boolean isForAll = isHeld && !Entry.isOutdated(target.stamp(), publication.tags(), marks);
        Flight<LoadResult<V>> flight = target.flight();
        // Whoever came before the load may have come after the removal of what the loader has kept.
        boolean isGone =
                Boolean.FALSE.equals(heldToTheEnd) && publication.loaded().isNotModified();
        if (isGone || !publication.isForOthers(isStored && isForAll)) {
            flight.completeEmpty();
        } else if (isForAll) {
            flight.completeForAll(target.result());
        } else {
            flight.completeForEarly(target.result());
        }
        if (isHeld || heldToTheEnd == null) { // otherwise it may be a later load that has failed
            leases.loaded(target.storeKey());
        }
        if (!isToBeStored || heldToTheEnd == null) {
            over(publication, EventType.LOAD_NOT_STORED);
        } else {
            over(publication, isHeld ? EventType.LOAD_STORED : EventType.LOAD_FENCED);
        }
    }

    private void keepStored(Publication<K, V> publication, KeyRequest<K, V> target) {
        Entry entry = requireNonNull(publication.entry());
        near.keep(target.key(), target.lookup().ticket(), publication.value(), entry);
        if (!publication.loaded().isNotModified()) {
            events.report(EventType.STORED, entry.payload().remaining());
        }
    }

    /** Keeps a value that the store does not have; one that must not be cached ends the one before it. */
    private void keepUnstored(Publication<K, V> publication, Taken taken, boolean isForOthers) {
        KeyRequest<K, V> target = publication.target();
        Entry entry = publication.entry();
        if (!publication.isWanted()) {
            near.outdate(target.storeKey());
        } else if (entry != null && isForOthers) {
            near.keepUnstored(target.key(), target.lookup().ticket(), publication.value(), entry, taken);
        }
    }

    /** Completes the flight of a key that was loaded without a lease, or perhaps without one. */
    private void completeUnleased(Publication<K, V> publication) {
        KeyRequest<K, V> target = publication.target();
        Taken unasked = target.lookup().storeAnswers() ? Taken.NO_LEASE : Taken.UNASKED;
        boolean isForOthers = publication.isForOthers(isAnswerForNewcomers(target)
                && !leases.isChangedSince(publication.loaded().asOf(), target.storeKey()));
        keepUnstored(publication, isAnswerForNewcomers(target) ? unasked : Taken.YES, isForOthers);
        leases.loaded(target.storeKey());
        if (isForOthers) {
            target.flight().completeUnleased(target.result());
        } else {
            target.flight().completeEmpty();
        }
        over(publication, EventType.LOAD_NOT_STORED);
    }

    private void over(Publication<K, V> publication, EventType outcome) {
        events.load(outcome, publication.nanos());
        if (publication.value() == null) {
            events.report(EventType.ABSENT);
        }
        if (publication.loaded().value() != null) {
            admission.observed(publication.target().key());
        }
    }

    private void settleFailure(List<KeyRequest<K, V>> targets, LoaderCall.Run<V> run, Throwable cause) {
        boolean coolsDown = !run.interrupted() && leases.coolsDownAfter(cause, targets);
        LoadResult<V> outcome = new LoadResult.Failure<>(cause, coolsDown);
        for (KeyRequest<K, V> target : targets) {
            target.loaded(outcome);
            if (!run.interrupted()) {
                target.flight().completeForAll(outcome);
            }
            events.load(EventType.LOAD_FAILED, run.nanos());
        }
        if (coolsDown) {
            leases.fail(targets, target -> FailureText.of(cause));
        } else {
            abandon(targets);
            if (!run.interrupted()) {
                targets.forEach(target -> leases.loaded(target.storeKey()));
            }
        }
        if (cause instanceof Error error) {
            throw error;
        }
    }
}
