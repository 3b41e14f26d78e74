package io.stampedeguard.filter.redis;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.filter.FilterListener;
import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.redis.RedisStore;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * A builder of a {@link RedisKeyFilter}. <em>Not thread-safe.</em>
 *
 * @param <K> the type of the keys
 */
public final class RedisKeyFilterBuilder<K> {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final Pattern IDENTITY = Pattern.compile("[A-Za-z0-9._-]{0,32}");
    private static final FilterListener NOBODY = new FilterListener() {};

    final String name;
    final RedisStore store;
    long expectedKeys;
    double falsePositiveRate = 0.01;
    KeyHash<? super K> keyHash = KeyHash.standard();
    String hashIdentity = "";
    FilterListener listener = NOBODY;
    Duration rebuildTtl = Duration.ofMinutes(1);

    RedisKeyFilterBuilder(String name, RedisStore store) {
        this.name = requireNonNull(name, "name");
        this.store = requireNonNull(store, "store");
    }

    /**
     * Sets the number of keys for which this process rebuilds the filter; must be set. With more keys, more nonexistent keys
     * pass, until the filter is rebuilt for more.
     *
     * @param keys at least 1
     * @return this builder
     */
    public RedisKeyFilterBuilder<K> expectedKeys(long keys) {
        expectedKeys = keys;
        return this;
    }

    /**
     * Sets the false positive rate: the share of nonexistent keys that pass with the expected number of keys; 0.01 if not set.
     *
     * @param rate from 0.000001 to 0.5
     * @return this builder
     */
    public RedisKeyFilterBuilder<K> falsePositiveRate(double rate) {
        falsePositiveRate = rate;
        return this;
    }

    /**
     * Sets the hash of keys; {@link KeyHash#standard()} if not set. All processes that share the filter must use the same hash,
     * in each running version. Another hash is noticed by what it makes of a few texts, numbers, and UUIDs, with which {@link
     * #build()} calls it, and with an object of another type. One of your own types needs a {@link #hashIdentity}.
     *
     * @param hash the hash
     * @return this builder
     */
    public RedisKeyFilterBuilder<K> keyHash(KeyHash<? super K> hash) {
        keyHash = requireNonNull(hash, "keyHash");
        return this;
    }

    /**
     * Names the hash of keys, so that processes notice a change of it; empty if not set. Required if the hash takes keys of your
     * own types, or of any type, or rejects all usual texts: give it another name with each change of the hash, its secret, or the
     * keys' texts.
     *
     * @param name up to 32 letters, digits, dots, hyphens, and underscores, the same in all processes
     * @return this builder
     */
    public RedisKeyFilterBuilder<K> hashIdentity(String name) {
        hashIdentity = requireNonNull(name, "hashIdentity");
        return this;
    }

    /**
     * Sets the listener that is notified of the state of the filter; none if not set.
     *
     * @param notified the listener
     * @return this builder
     */
    public RedisKeyFilterBuilder<K> listener(FilterListener notified) {
        listener = requireNonNull(notified, "listener");
        return this;
    }

    /** Sets the TTL of a new generation without a renewal by its rebuild; a minute if not set. */
    RedisKeyFilterBuilder<K> rebuildTtl(Duration ttl) {
        rebuildTtl = ttl;
        return this;
    }

    /**
     * Creates the filter. Sends nothing itself: the active filter is loaded in the background.
     *
     * @return a new filter, to be closed
     * @throws IllegalArgumentException if the name is not 1 to 64 letters, digits, dots, hyphens, and underscores, if the number
     *     of expected keys was not set, a number is out of its range, or the hash's identity is required or has other characters;
     *     the message names the filter
     */
    public RedisKeyFilter<K> build() {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("filter name " + KeyEncoder.shown(name)
                    + " is not 1 to 64 letters, digits, dots, hyphens and underscores");
        }
        if (!IDENTITY.matcher(hashIdentity).matches()) {
            throw new IllegalArgumentException("hashIdentity " + KeyEncoder.shown(hashIdentity) + " of filter "
                    + KeyEncoder.shown(name) + " is not up to 32 letters, digits, dots, hyphens and underscores");
        }
        try {
            return new RedisKeyFilter<>(this).opened();
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(wrong.getMessage() + " for filter " + KeyEncoder.shown(name), wrong);
        }
    }
}
