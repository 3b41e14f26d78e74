package io.stampedeguard.redis.internal.parts;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.SharedStore;
import java.util.Collection;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the modules beside cache-redis use of a store on Redis, and its users do not see. {@code where} is where the server is, as
 * messages report it, empty if that is not known; {@code withdrawal} gives leases back and notifies nobody, since other callers
 * could not obtain them either. <em>Immutable.</em>
 */
public record StoreParts(String where, Consumer<Collection<HeldLease>> withdrawal) {
    private static volatile @Nullable Function<SharedStore, StoreParts> opener;

    /** Sets how the parts of a store are obtained. Its class does so before there is a store. */
    public static void openBy(Function<SharedStore, StoreParts> way) {
        opener = way;
    }

    /** Returns the parts of a store on Redis. */
    public static StoreParts of(SharedStore store) {
        return requireNonNull(opener).apply(store);
    }
}
