package io.stampedeguard.testkit;

import io.stampedeguard.store.FailedLoad;
import io.stampedeguard.store.FleetMembers;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.InvalidationEvents;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseNotifications;
import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.NewEntry;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import io.stampedeguard.store.StoredKey;
import io.stampedeguard.store.UnstoredResult;
import io.stampedeguard.testkit.CallScript.Fault;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A store that follows the script of a test, call by call: it delegates to another, except where the test makes it fail, lose the
 * answer, or do something else first. {@link FaultyStore} is the one for users: fewer terms, and faults by chance.
 * <em>Thread-safe</em>, except for setting faults.
 */
public final class ScriptedStore implements SharedStore, LeaseNotifications, InvalidationEvents, FleetMembers {
    /**
     * The methods of a store. One for many keys is a call of its own, as on the wire; each of its keys also counts as a
     * call for a single key, and may fail as such.
     */
    public enum Call {
        READ,
        LEASE,
        RENEW,
        PUBLISH,
        ABANDON,
        FAIL,
        PASS,
        PUT,
        INVALIDATE,
        EXPIRE,
        EXTEND,
        READ_ALL,
        LEASE_ALL,
        PUBLISH_ALL,
        ABANDON_ALL,
        FAIL_ALL,
        PASS_ALL,
        INSPECT,
        BEAT,
        LEAVE
    }

    private final CallScript calls = new CallScript();
    private final Set<String> unanswered = ConcurrentHashMap.newKeySet();
    private final List<Duration> patiences = new CopyOnWriteArrayList<>();
    private volatile @Nullable StoreException refusal;
    private final InMemoryStore origin;
    private final LossyNotifications notices;
    private final LossyInvalidationEvents changes;

    /** Creates a store without faults over another one. */
    public ScriptedStore(InMemoryStore origin) {
        this.origin = origin;
        this.notices = new LossyNotifications(origin);
        this.changes = new LossyInvalidationEvents(origin);
    }

    /** Makes these calls fail without effect from now on, or all calls if none is named. */
    public ScriptedStore refuse(Call... calls) {
        this.calls.set(Fault.REFUSES, calls.length == 0 ? Call.values() : calls);
        return this;
    }

    /** Makes each call fail without effect from now on, and says so to those who ask, as behind an open circuit breaker. */
    public ScriptedStore open(StoreException failure) {
        refusal = failure;
        return refuse();
    }

    /** Makes these calls find no connection from now on, so that they are not made, or all calls if none is named. */
    public ScriptedStore exhaust(Call... calls) {
        this.calls.set(Fault.HAS_NO_CONNECTION, calls.length == 0 ? Call.values() : calls);
        return this;
    }

    /** Makes these calls fail after their effect from now on. */
    public ScriptedStore loseAnswers(Call... calls) {
        this.calls.set(Fault.LOSES_THE_ANSWER, calls);
        return this;
    }

    /** Makes these calls fail from now on, and take effect when {@link #hearLate} is called. */
    public ScriptedStore delay(Call... calls) {
        this.calls.set(Fault.HEARS_IT_LATE, calls);
        return this;
    }

    /** Executes the delayed calls. */
    public void hearLate() {
        calls.hearLate();
    }

    /**
     * Leaves requests and publications for these keys unanswered and without effect from now on; their leases can be
     * given back.
     */
    public ScriptedStore leaveUnanswered(String... keys) {
        unanswered.addAll(List.of(keys));
        return this;
    }

    /** Loses all notifications of leases from now on, including confirmations of watches. */
    public ScriptedStore loseNotices() {
        notices.lose();
        return this;
    }

    /** Looks from now on who holds a lease once it is watched, and tells it, if the condition, tested before each look, is true. */
    public ScriptedStore lookAtWatched(Predicate<LeaseNotifications.Listener> beforeLook) {
        notices.look(beforeLook);
        return this;
    }

    /** Notifies the watchers of a key of a publication that was made long ago and is no longer current. */
    public void tellLate(String key, LeaseToken token, String payload) {
        notices.tellPublished(key, token, payload);
    }

    /** Loses all notifications of changes from now on, unnoticed. */
    public ScriptedStore loseChanges() {
        changes.lose();
        return this;
    }

    /** Disconnects the listeners to changes, and notifies them of that. */
    public ScriptedStore cutChanges() {
        changes.cut();
        return this;
    }

    /** Reconnects the listeners to changes, and notifies them of that. */
    public ScriptedStore mendChanges() {
        changes.mend();
        return this;
    }

    /** Stops the store, as a server that is killed: listeners are disconnected by it, and no call is answered. */
    public ScriptedStore kill() {
        changes.kill();
        return refuse();
    }

    /** Starts the store again without its data; its listeners remain disconnected until {@link #mendChanges}. */
    public ScriptedStore restart() {
        origin.restart();
        return heal();
    }

    /** Returns the number of listeners to changes. */
    public int changeWatches() {
        return changes.watches();
    }

    /** Returns the number of open watches. */
    public int watches() {
        return notices.watches();
    }

    /** Removes all faults. */
    public ScriptedStore heal() {
        notices.heal();
        refusal = null;
        unanswered.clear();
        calls.heal();
        return this;
    }

    /** Runs an action once, just before the next call. */
    public ScriptedStore before(Call call, Runnable happening) {
        calls.before(call, happening);
        return this;
    }

    /** Runs an action once, after the next call took effect and before its answer is returned. */
    public ScriptedStore after(Call call, Runnable happening) {
        calls.after(call, happening);
        return this;
    }

    /** Returns how often a method has ended, successfully or not. */
    public int done(Call call) {
        return calls.done(call);
    }

    /** Returns how often a method was called. */
    public int count(Call call) {
        return calls.count(call);
    }

    @Override
    public @Nullable StoreException refusal(String key) {
        return refusal;
    }

    @Override
    public byte @Nullable [] read(String key, Duration patience) {
        patiences.add(patience);
        return calls.get(Call.READ, () -> origin.read(heard(key), patience));
    }

    @Override
    public LeaseAttempt lease(LeaseRequest request, Duration ttl, Duration patience) {
        patiences.add(patience);
        return calls.get(Call.LEASE, () -> {
            heard(request.key());
            return origin.lease(request, ttl, patience);
        });
    }

    /** Returns how long callers could wait for a connection, in order. */
    public List<Duration> patiences() {
        return patiences;
    }

    @Override
    public Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl) {
        return calls.get(Call.RENEW, () -> origin.renew(leases, ttl));
    }

    @Override
    public boolean publish(String key, LeaseToken token, byte[] entry, Duration ttl) {
        return calls.get(Call.PUBLISH, () -> origin.publish(heard(key), token, entry, ttl));
    }

    @Override
    public boolean abandon(String key, LeaseToken token) {
        return calls.get(Call.ABANDON, () -> origin.abandon(key, token));
    }

    @Override
    public boolean fail(String key, LeaseToken token, FailedLoad failed) {
        return calls.get(Call.FAIL, () -> origin.fail(key, token, failed));
    }

    @Override
    public LeaseNotifications.Watch watch(String key, LeaseNotifications.Listener listener) {
        return notices.watch(key, listener);
    }

    @Override
    public boolean put(String key, byte[] entry, Duration ttl, Duration patience) {
        return calls.get(Call.PUT, () -> origin.put(key, entry, ttl, patience));
    }

    @Override
    public void invalidate(String key, Duration patience) {
        patiences.add(patience);
        calls.run(Call.INVALIDATE, () -> origin.invalidate(key, patience));
    }

    @Override
    public void expire(String key, int offset, byte[] mark, Duration patience) {
        patiences.add(patience);
        calls.run(Call.EXPIRE, () -> origin.expire(key, offset, mark, patience));
    }

    @Override
    public boolean extend(String key, LeaseToken token, LeaseToken seen, byte[] head, Duration ttl) {
        return calls.get(Call.EXTEND, () -> origin.extend(key, token, seen, head, ttl));
    }

    @Override
    public Map<String, byte @Nullable []> readAll(Collection<String> keys, Duration patience) {
        return calls.get(Call.READ_ALL, () -> SharedStore.super.readAll(heard(keys, key -> key), patience));
    }

    @Override
    public Map<String, LeaseAttempt> leaseAll(Collection<LeaseRequest> requests, Duration ttl, Duration patience) {
        return calls.get(
                Call.LEASE_ALL, () -> SharedStore.super.leaseAll(heard(requests, LeaseRequest::key), ttl, patience));
    }

    @Override
    public Map<String, Boolean> publishAll(Collection<NewEntry> entries) {
        return calls.get(
                Call.PUBLISH_ALL,
                () -> SharedStore.super.publishAll(
                        heard(entries, entry -> entry.lease().key())));
    }

    @Override
    public Map<String, Boolean> abandonAll(Collection<HeldLease> leases) {
        return calls.get(Call.ABANDON_ALL, () -> SharedStore.super.abandonAll(leases));
    }

    @Override
    public Map<String, Boolean> failAll(Map<HeldLease, FailedLoad> failed) {
        return calls.get(Call.FAIL_ALL, () -> SharedStore.super.failAll(failed));
    }

    @Override
    public boolean pass(String key, LeaseToken token, UnstoredResult result) {
        return calls.get(Call.PASS, () -> origin.pass(key, token, result));
    }

    @Override
    public Map<String, Boolean> passAll(Map<HeldLease, UnstoredResult> results) {
        return calls.get(Call.PASS_ALL, () -> SharedStore.super.passAll(results));
    }

    private <Q> List<Q> heard(Collection<Q> questions, Function<Q, String> keyOf) {
        List<Q> heard = questions.stream()
                .filter(question -> !unanswered.contains(keyOf.apply(question)))
                .toList();
        if (heard.isEmpty()) {
            throw new StoreException("no answer for any key: so the test wants it");
        }
        return heard;
    }

    private String heard(String key) {
        if (unanswered.contains(key)) {
            throw new StoreException("no answer for " + key + ": so the test wants it");
        }
        return key;
    }

    @Override
    public StoredKey inspect(String key) {
        return calls.get(Call.INSPECT, () -> origin.inspect(key));
    }

    @Override
    public InvalidationEvents.Watch watchChanges(String cache, InvalidationEvents.Listener listener) {
        return changes.watchChanges(cache, listener);
    }

    @Override
    public Membership beat(String cache, String process, Duration ttl) {
        return calls.get(Call.BEAT, () -> origin.beat(cache, process, ttl));
    }

    @Override
    public void leave(String cache, String process) {
        calls.run(Call.LEAVE, () -> origin.leave(cache, process));
    }

    @Override
    public long currentTimeMillis() {
        return origin.currentTimeMillis();
    }
}
