package io.stampedeguard;

import io.stampedeguard.flight.SingleFlight;

/**
 * What the ways of reading one cache share: for one key or many, with callers that wait or that do not.
 *
 * @param flights the loads under way
 * @param nearReads how the near cache is read
 * @param reads how the store is read
 * @param standIns what stands in for the store while it does not answer
 * @param following how one waits for a flight
 * @param load the way of leaders to the loader
 * @param leaderLoad that way, with callers that wait
 * @param refreshQueue the reloads in the background
 * @param refresh that way, in the background
 */
record ReadParts<K, V>(
        SingleFlight<Outcome<V>> flights,
        NearReads<K, V> nearReads,
        StoreReads<K, V> reads,
        StandIns<K, V> standIns,
        Following<K, V> following,
        LoadParts<K, V> load,
        LeaderLoad<K, V> leaderLoad,
        RefreshQueue refreshQueue,
        BackgroundRefresh<K, V> refresh) {
    static <K, V> ReadParts<K, V> of(CacheParts<K, V> parts) {
        SingleFlight<Outcome<V>> flights = new SingleFlight<>(parts.asyncThreads()::tell, parts.time()::monotonicNanos);
        StoreReads<K, V> reads = new StoreReads<>(parts);
        LoadParts<K, V> load = LoadParts.of(parts);
        RefreshQueue queue = new RefreshQueue(parts, load.calls()::stuck);
        BackgroundRefresh<K, V> refresh = new BackgroundRefresh<>(parts, load, queue, flights, reads);
        return new ReadParts<>(
                flights,
                new NearReads<>(parts, refresh),
                reads,
                new StandIns<>(parts),
                new Following<>(parts),
                load,
                new LeaderLoad<>(parts, load),
                queue,
                refresh);
    }
}
