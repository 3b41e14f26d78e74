package io.stampedeguard.benchmarks.peer;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The options that a workload sets for all its peers. <em>Immutable.</em>
 *
 * @param ttl how long a value is fresh, or {@code null} for the peer's default, which is minutes
 * @param connections the number of connections to Redis of each process, or {@code null} for the peer's default
 * @param negativeTtl how long absence is cached, by peers with negative caching; {@code null} for the peer's default
 * @param filterKeys the capacity of the key filter in keys, for peers that have one; {@code null} for some thousand
 */
public record PeerOptions(
        @Nullable Duration ttl,
        @Nullable Integer connections,
        @Nullable Duration negativeTtl,
        @Nullable Integer filterKeys) {
    private static final int USUAL_FILTER_KEYS = 10_000;

    /**
     * Returns the options in which all values are the peer's defaults.
     *
     * @return the options
     */
    public static PeerOptions usual() {
        return new PeerOptions(null, null, null, null);
    }

    /**
     * Sets how long a value is fresh.
     *
     * @param length the TTL
     * @return options with the defaults otherwise
     */
    public static PeerOptions ttl(Duration length) {
        return new PeerOptions(length, null, null, null);
    }

    /**
     * Sets the number of connections to Redis.
     *
     * @param count their number
     * @return options with the defaults otherwise
     */
    public static PeerOptions connections(int count) {
        return new PeerOptions(null, count, null, null);
    }

    /**
     * Sets how long absence is cached.
     *
     * @param length the TTL; zero: not at all
     * @return new options
     */
    public PeerOptions keepingNegatives(Duration length) {
        return new PeerOptions(ttl, connections, length, filterKeys);
    }

    /**
     * Sets the capacity of the key filter.
     *
     * @param keys the number of keys
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
     * Adds these options to a message to another process.
     *
     * @param message the message
     * @return the message with these options
     */
    public Message in(Message message) {
        return message.with("ttl", textOf(ttl))
                .with("connections", textOf(connections))
                .with("negativeTtl", textOf(negativeTtl))
                .with("filterKeys", textOf(filterKeys));
    }

    /**
     * Returns the options in a message.
     *
     * @param message the message
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
