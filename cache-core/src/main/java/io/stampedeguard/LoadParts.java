package io.stampedeguard;

/**
 * What the ways of leaders to the loader share: those of one key and of many, before callers and in the background.
 *
 * @param gate how many loads run in this process
 * @param questions how leases are asked for
 * @param leases how leases end
 * @param calls how the loader is called
 * @param publication what becomes of its values
 * @param peers what is made of the work of others
 */
record LoadParts<K, V>(
        LoadGate gate,
        LeaseQuestions<K, V> questions,
        LeaseEnds leases,
        LoaderCalls<K, V> calls,
        Publication<K, V> publication,
        PeerAnswers<K, V> peers) {
    static <K, V> LoadParts<K, V> of(CacheParts<K, V> parts) {
        Errands errands = new Errands(parts.keys().cache(), "errands");
        LeaseEnds leases = new LeaseEnds(parts, errands);
        Publication<K, V> publication = new Publication<>(parts, leases, errands);
        return new LoadParts<>(
                new LoadGate(parts.policy().maxConcurrentLoads(), parts.nesting(), parts.time()),
                new LeaseQuestions<>(parts, leases),
                leases,
                new LoaderCalls<>(parts, publication, errands),
                publication,
                new PeerAnswers<>(parts));
    }
}
