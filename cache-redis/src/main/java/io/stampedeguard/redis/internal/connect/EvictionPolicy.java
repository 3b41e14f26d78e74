package io.stampedeguard.redis.internal.connect;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The policy by which a server with bounded memory evicts keys when it is full. <em>Immutable.</em>
 *
 * @param name the value of {@code maxmemory-policy}
 */
record EvictionPolicy(String name) {
    private static final Pattern BOUND = Pattern.compile("^maxmemory:[1-9]", Pattern.MULTILINE);
    private static final Pattern NAME = Pattern.compile("^maxmemory_policy:(\\S+)", Pattern.MULTILINE);

    /** Returns the policy in the answer to {@code INFO}; {@code null} if memory is not bounded, or that is unknown. */
    static @Nullable EvictionPolicy in(String info) {
        Matcher name = NAME.matcher(info);
        return BOUND.matcher(info).find() && name.find() ? new EvictionPolicy(name.group(1)) : null;
    }

    /** Returns whether leases are evicted although entries have been unused for longer. */
    boolean isHarmful() {
        return evicts() != null;
    }

    /** Returns why the policy is harmful, and which one to set instead. */
    String advice(String where) {
        return "the server" + where + " has maxmemory-policy " + name + ": when its memory is full, it evicts "
                + evicts()
                + ", and keys are loaded more than once at the same time; set volatile-lru, or allkeys-lru if no"
                + " RedisKeyFilter is kept there";
    }

    private @Nullable String evicts() {
        return switch (name) {
            case "volatile-ttl" -> "leases before entries, since they have the shortest TTL";
            case "volatile-lfu", "allkeys-lfu" ->
                "leases before entries that are read often, since a new key counts as seldom used";
            case "volatile-random", "allkeys-random" -> "leases as readily as entries";
            default -> null;
        };
    }
}
