package io.stampedeguard.benchmarks.peers.lettuce;

import io.lettuce.core.RedisClient;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerModule;
import java.util.List;

/** The module of Lettuce. */
public final class LettucePeers implements PeerModule {
    /** Creates the module, without a connection. */
    public LettucePeers() {}

    @Override
    public List<PeerKind> peers() {
        return List.of(new PeerKind(
                "lettuce",
                PeerKind.Storage.BARE,
                (uri, options) -> new LettucePeer(uri),
                PeerKind.jarOf(RedisClient.class) + ", one connection for all threads: not a cache"));
    }
}
