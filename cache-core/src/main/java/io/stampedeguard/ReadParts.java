package io.stampedeguard;

import io.stampedeguard.flight.SingleFlight;

/** What the ways of reading one cache share, whether their callers wait or not. */
record ReadParts<K, V>(
        SingleFlight<Outcome<V>> flights,
        StoreReads<K, V> reads,
        StandIns<K, V> standIns,
        Following<K, V> following,
        ProtectedLoad<K, V> protectedLoad,
        BackgroundRefresh<K, V> refresh) {
    static <K, V> ReadParts<K, V> of(CacheParts<K, V> parts) {
        SingleFlight<Outcome<V>> flights = new SingleFlight<>(parts.asyncThreads()::tell);
        StoreReads<K, V> reads = new StoreReads<>(parts);
        ProtectedLoad<K, V> protectedLoad = new ProtectedLoad<>(parts);
        return new ReadParts<>(
                flights,
                reads,
                new StandIns<>(parts),
                new Following<>(parts),
                protectedLoad,
                new BackgroundRefresh<>(parts, flights, reads, protectedLoad));
    }
}
