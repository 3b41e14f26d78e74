package io.stampedeguard.benchmarks.peer;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.policy.WakeUp;
import java.util.List;

/** All that can take part; a new one is a line here. */
public final class Peers {
    /** In the order in which they take turns. */
    public static final List<PeerKind> ALL = List.of(
            new PeerKind("guarded", true, redis -> new GuardedPeer("guarded", redis, CachePolicy.builder())),
            new PeerKind(
                    "guarded-poll",
                    true,
                    redis -> new GuardedPeer(
                            "guarded-poll", redis, CachePolicy.builder().wakeUp(WakeUp.POLL))),
            new PeerKind("cache-aside", true, CacheAsidePeer::new),
            new PeerKind("caffeine", false, redis -> new CaffeinePeer()));

    private Peers() {}

    /**
     * Tells all names.
     *
     * @return the names, as they are typed
     */
    public static List<String> names() {
        return ALL.stream().map(PeerKind::name).toList();
    }

    /**
     * Finds a peer.
     *
     * @param name its name
     * @return the peer
     * @throws IllegalArgumentException if there is none of that name
     */
    public static PeerKind named(String name) {
        return ALL.stream()
                .filter(peer -> peer.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no peer '" + name + "'"));
    }
}
