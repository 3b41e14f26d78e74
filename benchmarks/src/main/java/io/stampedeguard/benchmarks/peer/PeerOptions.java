package io.stampedeguard.benchmarks.peer;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a workload wants of all its peers alike. <em>Immutable.</em>
 *
 * @param ttl for how long a value is fresh, or {@code null} for what the peer has by default, minutes
 * @param connections how many connections to Redis each process has, or {@code null} for what the peer has by default
 * @param negativeTtl for how long it is kept that the origin has no value, by peers that can; {@code null} for what the peer
 *     has by default
 * @param filterKeys for how many keys a filter is made, by peers that have one; {@code null} for some thousand
 */
public record PeerOptions(
        @Nullable Duration ttl,
        @Nullable Integer connections,
        @Nullable Duration negativeTtl,
        @Nullable Integer filterKeys) {
    private static final int USUAL_FILTER_KEYS = 10_000;

    /**
     * Leaves all to the peer.
     *
     * @return the options
     */
    public static PeerOptions usual() {
        return new PeerOptions(null, null, null, null);
    }

    /**
     * Sets for how long a value is fresh.
     *
     * @param length for how long
     * @return options with the defaults else
     */
    public static PeerOptions ttl(Duration length) {
        return new PeerOptions(length, null, null, null);
    }

    /**
     * Sets how many connections to Redis there are.
     *
     * @param count how many
     * @return options with the defaults else
     */
    public static PeerOptions connections(int count) {
        return new PeerOptions(null, count, null, null);
    }

    /**
     * Sets for how long it is kept that the origin has no value.
     *
     * @param length for how long; zero, not at all
     * @return new options
     */
    public PeerOptions keepingNegatives(Duration length) {
        return new PeerOptions(ttl, connections, length, filterKeys);
    }

    /**
     * Sets for how many keys a filter is made.
     *
     * @param keys how many
     * @return new options
     */
    public PeerOptions filtering(int keys) {
        return new PeerOptions(ttl, connections, negativeTtl, keys);
    }

    int filterKeysOrUsual() {
        return filterKeys == null ? USUAL_FILTER_KEYS : filterKeys;
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
        return message.with("ttl", textOf(ttl))
                .with("connections", textOf(connections))
                .with("negativeTtl", textOf(negativeTtl))
                .with("filterKeys", textOf(filterKeys));
    }

    /**
     * Finds the options in what was said.
     *
     * @param message what was said
     * @return the options
     */
    public static PeerOptions of(Message message) {
        return new PeerOptions(
                said(message, "ttl", Duration::parse),
                said(message, "connections", Integer::valueOf),
                said(message, "negativeTtl", Duration::parse),
                said(message, "filterKeys", Integer::valueOf));
    }

    private static String textOf(@Nullable Object option) {
        return option == null ? "" : option.toString();
    }

    private static <T> @Nullable T said(Message message, String name, Function<String, T> reading) {
        String text = message.text(name);
        return text.isEmpty() ? null : reading.apply(text);
    }
}
