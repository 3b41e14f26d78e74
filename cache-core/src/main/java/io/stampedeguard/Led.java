package io.stampedeguard;

import io.stampedeguard.flight.Flight;
import io.stampedeguard.store.LeaseToken;
import org.jspecify.annotations.Nullable;

/**
 * A flight on its leader's way to the loader.
 *
 * @param look the key
 * @param flight who waits for it
 * @param seen the token of the last entry that was of no use, if there was one
 */
record Led<K, V>(
        Look<K, V> look,
        Flight<Outcome<V>> flight,
        @Nullable LeaseToken seen) {
    Led(Look<K, V> look, Flight<Outcome<V>> flight) {
        this(look, flight, look.seen());
    }

    String storeKey() {
        return look.storeKey();
    }

    Led<K, V> havingSeen(@Nullable LeaseToken other) {
        return new Led<>(look, flight, other);
    }

    Target<K, V> under(@Nullable Lease lease) {
        return new Target<>(look, lease, flight);
    }
}
