package io.stampedeguard.redis.internal.parts;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.redis.internal.command.Commands;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.redis.internal.command.StoreOnRedis;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.time.TimeSource;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/** What the modules beside cache-redis use of a store on Redis, and its users do not see. <em>Thread-safe.</em> */
public final class StoreParts {
    private final StoreOnRedis store;
    private final Commands commands;

    private StoreParts(StoreOnRedis store) {
        this.store = store;
        this.commands = store.commands();
    }

    /** Returns the parts of a store on Redis. */
    public static StoreParts of(CacheStore store) {
        return new StoreParts((StoreOnRedis) store.shared());
    }

    /** Returns where the server is, as messages report it; empty if that is not known. */
    public String where() {
        return commands.where();
    }

    public TimeSource time() {
        return store.time();
    }

    public boolean isOnCluster() {
        return commands.cluster() != null;
    }

    /** Gives leases back and notifies nobody: other callers could not obtain them either. */
    public void withdraw(Collection<HeldLease> leases) {
        store.withdraw(leases);
    }

    /** Returns a Redis key of one partition of a key filter, such as {@code {products:filter:07}:state}. */
    public byte[] filterKey(String name, int partition, String part) {
        return store.keys().filter(name, partition, part);
    }

    /** Sends a call for one name, and returns the answer, like {@link Commands#change}. */
    public Object change(String notDone, String name, Script.Call call) {
        return commands.change(commands.defaultTurn(), notDone, name, call, answer -> answer);
    }

    /** Sends many calls, like {@link Commands#changeMany}. */
    public <K, A> Map<K, A> changeMany(
            String notDone, Map<K, Script.Call> calls, Function<Object, A> meaning, Needed needed) {
        return commands.changeMany(commands.defaultTurn(), notDone, calls, meaning, needed);
    }

    /** Returns what runs a task on a background thread, now, or returns false if no thread can be started. */
    public Predicate<Runnable> threads(String name) {
        return new BackgroundThreads(name, time())::tryToExecute;
    }
}
