package io.stampedeguard.redis.internal.command;

import io.stampedeguard.internal.spi.ChangeMemory;
import io.stampedeguard.redis.internal.command.Script.LeaseScripts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The caches whose changes leave their time in Redis, and what that adds to calls of scripts: one more key, for {@code changed.lua}.
 * Other caches pay for nothing. <em>Thread-safe.</em>
 */
public final class ChangeTimes implements ChangeMemory {
    /** For how many milliseconds, for each of them. Read directly, since it is on the path of each change. */
    final Map<String, byte[]> memories = new ConcurrentHashMap<>();

    private final RedisKeys keys;
    private final StoreClock clock;

    public ChangeTimes(RedisKeys keys, StoreClock clock) {
        this.keys = keys;
        this.clock = clock;
    }

    @Override
    public void remember(String cache, Duration length) {
        memories.put(cache, LeaseScripts.text(Math.max(1, length.toMillis())));
    }

    /** Returns a change of a key, which also leaves its time if the changes of its cache are remembered. */
    Script.Call remembered(String key, Script.Call change) {
        byte[] memory = memories.get(RedisKeys.cacheOf(key));
        return memory == null ? change : change.with(List.of(keys.changed(key)), List.of(memory));
    }

    /** Returns the publication of a value that was read as of an earlier time, which is compared with that of the last change. */
    Script.Call compared(String key, Script.Call publication, long asOfMillis, boolean isOfCluster) {
        byte[] memory = memories.getOrDefault(RedisKeys.cacheOf(key), LeaseScripts.text(0)); // then it is refused
        return publication.with(
                List.of(keys.changed(key)),
                List.of(LeaseScripts.text(clock.leastTimeMillisAt(asOfMillis, isOfCluster)), memory));
    }
}
