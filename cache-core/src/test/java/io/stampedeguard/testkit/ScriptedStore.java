package io.stampedeguard.testkit;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.util.Objects.requireNonNull;

import io.stampedeguard.event.BreakerState;
import io.stampedeguard.internal.spi.BreakerEvents;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.ChangeMemory;
import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.spi.StoredKey;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.CallScript.Fault;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
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
        EXTEND_ALL,
        INSPECT,
        BEAT,
        LEAVE
    }

    private final CallScript calls = new CallScript();
    private final Set<String> unanswered = ConcurrentHashMap.newKeySet();
    private final List<Duration> patiences = new CopyOnWriteArrayList<>();
    private volatile @Nullable StoreException refusal;
    private volatile @Nullable BreakerState breaker;
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

    /** Makes each call fail without effect from now on, as behind an open circuit breaker, which the store must have. */
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

    /** Gives this store a circuit breaker, for {@link #open}. */
    public ScriptedStore breaking() {
        return breaking(BreakerState.CLOSED);
    }

    /** Gives this store a circuit breaker in a state, or none with {@code null}. */
    public ScriptedStore breaking(@Nullable BreakerState state) {
        breaker = state;
        return this;
    }

    @Override
    public <T> @Nullable T ability(Class<T> type) {
        if (type == Marks.Keeper.class) {
            return origin.ability(type);
        }
        return breaker != null && type == BreakerEvents.class
                ? type.cast(new Breaker())
                : type == ChangeMemory.class ? origin.ability(type) : SharedStore.super.ability(type);
    }

    private final class Breaker implements BreakerEvents {
        @Override
        public BreakerState breaker() {
            return refusal == null ? requireNonNull(breaker) : BreakerState.OPEN;
        }

        @Override
        public @Nullable StoreException refusal(String key) {
            return refusal;
        }

        @Override
        public Watch watchBreaker(Consumer<BreakerState> listener) {
            return () -> {};
        }
    }

    @Override
    public byte @Nullable [] read(String key, Duration patience) {
        if (isProbe()) {
            return origin.read(key, patience);
        }
        patiences.add(patience);
        return calls.get(Call.READ, () -> origin.read(heard(key), patience));
    }

    @Override
    public Map<String, byte @Nullable []> read(Collection<String> keys, Duration patience) {
        return calls.get(
                Call.READ_ALL, () -> oneByOne(heard(keys, key -> key), key -> key, key -> read(key, patience)));
    }

    @Override
    public Map<String, LeaseAttempt> lease(Collection<LeaseRequest> requests, Duration ttl, Duration patience) {
        if (requests.size() == 1) {
            LeaseRequest only = requests.iterator().next();
            return Map.of(only.key(), lease(only, ttl, patience));
        }
        return calls.get(
                Call.LEASE_ALL,
                () -> oneByOne(
                        heard(requests, LeaseRequest::key),
                        LeaseRequest::key,
                        request -> lease(request, ttl, patience)));
    }

    private LeaseAttempt lease(LeaseRequest request, Duration ttl, Duration patience) {
        patiences.add(patience);
        return calls.get(Call.LEASE, () -> {
            heard(request.key());
            return on(origin).lease(request, ttl, patience);
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

    /**
     * Returns whether a read, or an end of leases, by this thread is a probe, of which no script says anything: otherwise this thread
     * sends queued changes only.
     */
    public static boolean isProbe() {
        return Thread.currentThread().getName().contains("-changes-");
    }

    /** Ends of the same kind are one call. */
    @Override
    public Map<HeldLease, Boolean> end(Map<HeldLease, ? extends LeaseEnd> ends) {
        if (isProbe()) {
            return origin.end(ends);
        }
        Map<Call, Map<HeldLease, LeaseEnd>> kinds = new EnumMap<>(Call.class);
        ends.forEach((lease, end) -> kinds.computeIfAbsent(callOf(end), call -> new LinkedHashMap<>())
                .put(lease, end));
        Map<HeldLease, Boolean> made = new HashMap<>();
        StoreException unanswered = null;
        for (Map.Entry<Call, Map<HeldLease, LeaseEnd>> kind : kinds.entrySet()) {
            try {
                made.putAll(end(kind.getKey(), kind.getValue()));
            } catch (StoreException e) {
                unanswered = e;
            }
        }
        if (made.isEmpty() && unanswered != null) {
            throw unanswered;
        }
        return made;
    }

    private Map<HeldLease, Boolean> end(Call call, Map<HeldLease, LeaseEnd> ends) {
        if (ends.size() == 1) {
            HeldLease only = ends.keySet().iterator().next();
            return Map.of(only, end(call, only, ends.get(only)));
        }
        return calls.get(Call.valueOf(call + "_ALL"), () -> {
            Collection<HeldLease> sent = call == Call.PUBLISH ? heard(ends.keySet(), HeldLease::key) : ends.keySet();
            return oneByOne(sent, lease -> lease, lease -> end(call, lease, ends.get(lease)));
        });
    }

    private boolean end(Call call, HeldLease lease, LeaseEnd end) {
        return calls.get(call, () -> {
            if (call == Call.PUBLISH) {
                heard(lease.key());
            }
            return origin.end(Map.of(lease, end)).get(lease);
        });
    }

    @Override
    public Watch watch(String key, LeaseNotifications.Listener listener) {
        return notices.watch(key, listener);
    }

    @Override
    public boolean change(String key, Change change, Duration patience) {
        if (!(change instanceof Change.Put)) {
            patiences.add(patience);
        }
        return calls.get(
                callOf(change instanceof Change.OfAll all ? all.each() : change),
                () -> origin.change(key, change, patience));
    }

    private static Call callOf(Object step) {
        return Call.valueOf(step.getClass().getSimpleName().toUpperCase(Locale.ROOT));
    }

    /** Makes calls until one is not answered; throws if that is the first. */
    private static <Q, K, A> Map<K, A> oneByOne(Collection<Q> questions, Function<Q, K> keyOf, Function<Q, A> call) {
        Map<K, A> answers = new HashMap<>();
        try {
            for (Q question : questions) {
                answers.put(keyOf.apply(question), call.apply(question));
            }
        } catch (StoreException unanswered) {
            if (answers.isEmpty()) {
                throw unanswered;
            }
        }
        return answers;
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
    public Watch watchChanges(String cache, List<? extends InvalidationEvents.Listener> listeners) {
        return changes.watchChanges(cache, listeners);
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
