package io.stampedeguard.filter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.filter.internal.BlockedBloom;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.redis.StallingCluster;
import io.stampedeguard.redis.internal.command.RedisKeys;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.RedisClusterClient;

/** One of three masters stalls. */
@Timeout(180)
@Order(3)
class StalledMasterFilterTest {
    private static final String NAME = "stalled";

    /** No working master takes so long. */
    private static final Duration BRIEF = Duration.ofSeconds(6);

    @Test
    void filterStillSaysNoForThePartitionsOfTheOthers() {
        List<Long> nonexistent = LongStream.range(1_000, 1_300).boxed().toList();
        try (StallingCluster cluster = new StallingCluster();
                RedisClusterClient client = cluster.client(BRIEF, 8);
                RedisStore store = RedisStore.using(client, SharedRedis.WITHOUT_BREAKER);
                RedisKeyFilter<Long> filter = RedisKeyFilter.<Long>builder(NAME, store)
                        .expectedKeys(1_000)
                        .build()) {
            filter.rebuild(LongStream.range(0, 100).boxed());
            List<Long> absent = filter.definitelyAbsent(nonexistent);
            cluster.stall();
            List<Long> ofOthers = absent.stream()
                    .filter(row -> cluster.masterOf(partitionKey(row)) != cluster.stalling())
                    .toList();
            assertThat(ofOthers).hasSizeBetween(100, 250);

            assertThat(filter.definitelyAbsent(nonexistent)).isEqualTo(ofOthers);
            assertThat(ofOthers).noneMatch(filter::mightContain);
            cluster.goOn();
        }
    }

    private static byte[] partitionKey(long row) {
        int partition = BlockedBloom.partition(KeyHash.<Long>standard().of(row));
        return new RedisKeys("").filter(NAME, partition, "state");
    }
}
