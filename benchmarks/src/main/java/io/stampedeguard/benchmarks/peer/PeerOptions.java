package io.stampedeguard.benchmarks.peer;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a workload wants of all its peers alike. <em>Immutable.</em>
 *
 * @param ttl for how long a value is fresh, or {@code null} for what the peer has by default, minutes
 * @param connections how many connections to Redis each process has, or {@code null} for what the peer has by default
 */
public record PeerOptions(@Nullable Duration ttl, @Nullable Integer connections) {
    /**
     * Leaves all to the peer.
     *
     * @return the options
     */
    public static PeerOptions usual() {
        return new PeerOptions(null, null);
    }

    /**
     * Sets for how long a value is fresh.
     *
     * @param length for how long
     * @return options with the defaults else
     */
    public static PeerOptions ttl(Duration length) {
        return new PeerOptions(length, null);
    }

    /**
     * Sets how many connections to Redis there are.
     *
     * @param count how many
     * @return options with the defaults else
     */
    public static PeerOptions connections(int count) {
        return new PeerOptions(null, count);
    }

    Duration ttlOr(Duration usual) {
        return ttl == null ? usual : ttl;
    }

    int connectionsOr(int usual) {
        return connections == null ? usual : connections;
    }

    /**
     * Adds these options to what is said to another process.
     *
     * @param message what is said
     * @return more of it
     */
    public Message in(Message message) {
        return message.with("ttl", ttl == null ? "" : ttl).with("connections", connections == null ? "" : connections);
    }

    /**
     * Finds the options in what was said.
     *
     * @param message what was said
     * @return the options
     */
    public static PeerOptions of(Message message) {
        String ttl = message.text("ttl");
        String connections = message.text("connections");
        return new PeerOptions(
                ttl.isEmpty() ? null : Duration.parse(ttl),
                connections.isEmpty() ? null : Integer.valueOf(connections));
    }
}
