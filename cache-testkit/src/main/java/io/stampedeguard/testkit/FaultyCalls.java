package io.stampedeguard.testkit;

import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.InvalidationEvents;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.StoredKey;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.FaultyStore.Call;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The calls of a {@link FaultyStore}, each of which may meet a fault. <em>Thread-safe.</em> */
record FaultyCalls(SharedStore store, Faults faults, Subscriptions subscriptions) implements SharedStore {
    @Override
    public Duration patience() {
        return store.patience();
    }

    @Override
    public byte @Nullable [] read(String key, Duration patience) {
        return faults.<byte @Nullable []>one(Call.READ, key, () -> store.read(key, patience));
    }

    @Override
    public Map<String, byte @Nullable []> read(Collection<String> keys, Duration patience) {
        return faults.many(all(keys, Call.READ), key -> key, sent -> store.read(sent, patience));
    }

    @Override
    public StoredKey inspect(String key) {
        return faults.one(Call.READ, key, () -> store.inspect(key));
    }

    @Override
    public Map<String, LeaseAttempt> lease(Collection<LeaseRequest> requests, Duration ttl, Duration patience) {
        List<String> keys = requests.stream().map(LeaseRequest::key).toList();
        return faults.many(all(keys, Call.LEASE), key -> key, sent -> {
            List<LeaseRequest> some = requests.stream()
                    .filter(request -> sent.contains(request.key()))
                    .toList();
            return store.lease(some, ttl, patience);
        });
    }

    private static Map<String, Call> all(Collection<String> keys, Call call) {
        Map<String, Call> calls = new LinkedHashMap<>();
        keys.forEach(key -> calls.put(key, call));
        return calls;
    }

    /** One request, whichever leases it renews: it fails for all of them. */
    @Override
    public Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl) {
        String keys = leases.stream().map(HeldLease::key).sorted().collect(Collectors.joining(", "));
        return faults.one(Call.RENEW, keys, () -> store.renew(leases, ttl));
    }

    @Override
    public Map<HeldLease, Boolean> end(Map<HeldLease, ? extends LeaseEnd> ends) {
        Map<HeldLease, Call> calls = new LinkedHashMap<>();
        ends.forEach((lease, end) -> calls.put(lease, callOf(end)));
        return faults.many(calls, HeldLease::key, sent -> {
            Map<HeldLease, LeaseEnd> some = new LinkedHashMap<>(ends);
            some.keySet().retainAll(sent);
            return store.end(some);
        });
    }

    private static Call callOf(LeaseEnd end) {
        return end instanceof LeaseEnd.Publish || end instanceof LeaseEnd.Extend ? Call.PUBLISH : Call.RELEASE;
    }

    @Override
    public boolean change(String key, Change change, Duration patience) {
        return faults.one(callOf(change), key, () -> store.change(key, change, patience));
    }

    @Override
    public Map<String, Boolean> invalidate(Collection<String> keys, Duration patience) {
        return faults.many(all(keys, Call.INVALIDATE), key -> key, sent -> store.invalidate(sent, patience));
    }

    private static Call callOf(Change change) {
        if (change instanceof Change.Put) {
            return Call.PUT;
        }
        if (change instanceof Change.OfAll all) {
            return callOf(all.each());
        }
        return change instanceof Change.Invalidate ? Call.INVALIDATE : Call.EXPIRE;
    }

    @Override
    public List<List<String>> groups(Collection<String> keys) {
        return store.groups(keys);
    }

    /** {@return the time of the store behind, also during an outage} */
    @Override
    public long currentTimeMillis() {
        return store.currentTimeMillis();
    }

    /** {@return the ability of the store behind; its circuit breaker is not affected by faults} */
    @Override
    public <T> @Nullable T ability(Class<T> type) {
        T behind = store.ability(type);
        Object faulty = behind;
        if (behind instanceof LeaseNotifications notifications && type == LeaseNotifications.class) {
            faulty = (LeaseNotifications) (key, listener) -> subscriptions.watch(notifications, key, listener);
        } else if (behind instanceof InvalidationEvents changes && type == InvalidationEvents.class) {
            faulty = new FaultyChanges(changes, subscriptions);
        } else if (behind instanceof FleetMembers fleet && type == FleetMembers.class) {
            faulty = new FaultyFleet(fleet, faults);
        }
        return type.cast(faulty);
    }

    private record FaultyChanges(InvalidationEvents changes, Subscriptions subscriptions)
            implements InvalidationEvents {
        @Override
        public Watch watchChanges(String cache, List<? extends Listener> listeners) {
            return subscriptions.watchChanges(changes, cache, listeners);
        }

        @Override
        public int parts() {
            return changes.parts();
        }

        @Override
        public int partOf(String key) {
            return changes.partOf(key);
        }
    }

    private record FaultyFleet(FleetMembers fleet, Faults faults) implements FleetMembers {
        @Override
        public Membership beat(String cache, String process, Duration ttl) {
            return faults.one(Call.ANNOUNCE, process, () -> fleet.beat(cache, process, ttl));
        }

        @Override
        public void leave(String cache, String process) {
            faults.one(Call.ANNOUNCE, process, () -> {
                fleet.leave(cache, process);
                return true;
            });
        }
    }
}
