package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.testbed.fleet.Message;
import java.util.HashMap;
import java.util.Map;

/** The open peers of a process, each once, with the options of the latest order. For one thread. */
final class OpenPeers {
    private final String redisUri;
    private final Map<String, Opened> open = new HashMap<>();

    OpenPeers(String redisUri) {
        this.redisUri = redisUri;
    }

    private record Opened(PeerOptions options, Peer peer) {}

    /**
     * Returns the peer of an order. If it is open with other options, it is closed and reopened; no other caller uses
     * it.
     */
    Peer peer(Message order) {
        String name = order.text("peer");
        PeerOptions options = PeerOptions.of(order);
        Opened opened = open.get(name);
        if (opened == null || !opened.options().equals(options)) {
            if (opened != null) {
                opened.peer().close();
            }
            opened = new Opened(options, Peers.named(name).open(redisUri, options));
            open.put(name, opened);
        }
        return opened.peer();
    }
}
