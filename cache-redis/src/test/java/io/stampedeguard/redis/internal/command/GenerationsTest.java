package io.stampedeguard.redis.internal.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.redis.internal.command.EntryReads.Generation;
import io.stampedeguard.store.SharedStore;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.UnifiedJedis;

/** What a process asks Redis while one of its threads has noted only a part of what it was told. */
class GenerationsTest {
    @AutoClose
    private static final UnifiedJedis client = SharedRedis.client();

    @AutoClose
    private static final RedisStore store = RedisStore.using(client, SharedRedis.PATIENT);

    @AutoClose
    private static final RedisStore other = RedisStore.using(client, SharedRedis.PATIENT);

    private final String cache =
            "generations-" + Long.toHexString(ThreadLocalRandom.current().nextLong());
    private final Generations generations =
            ((StoreOnRedis) store.shared()).commands().generations();
    private final Marks marks = generations.marks(cache);
    private Generation generation;

    @BeforeEach
    void findGeneration() {
        generation = generations.all.get().stream()
                .filter(each -> each.cache.equals(cache))
                .findAny()
                .orElseThrow();
    }

    private void change(RedisStore by, Change each, Set<String> tags) {
        SharedStore shared = by.shared();
        shared.change(cache, new Change.OfAll(each, tags, false), shared.patience());
    }

    /** Otherwise all entries of the fleet would count as removed. */
    @Test
    void firstTagChangeIsNoLossToAConcurrentThread() {
        change(other, new Change.Invalidate(), Set.of("t"));
        generation.learn(client.get(generation.key));
        marks.known.set(Marks.Known.NOTHING); // as it is between two steps of the thread that was told

        generations.catchUp(generation);

        assertThat(marks.isRemoved(0, List.of("t"))).isTrue();
        assertThat(marks.known.get().removed()).isZero();
    }

    @Test
    void tagMarkIsWrittenBackBeforeItsGenerationIsNoted() {
        marks.learn(Map.of("t", new Marks.OfTag(5, 0)));

        change(store, new Change.Expire(0, new byte[1]), Set.of());

        assertThat(client.zscore(new RedisKeys("").marks(cache), "Rt".getBytes(UTF_8)))
                .isNotNull();
    }
}
