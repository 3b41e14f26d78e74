package io.stampedeguard.filter.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.filter.FilterListener;
import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.filter.internal.BloomShape;
import io.stampedeguard.filter.redis.FilterGeneration.FilterDesign;
import io.stampedeguard.filter.redis.FilterRebuild.FilterHeartbeat;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.PatientTime;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.testkit.Fleet;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** A rebuild is renewed in every phase, and detects that it has been superseded. */
class FilterHeartbeatTest {
    private static final HashIdentity HASH = HashIdentity.of(KeyHash.standard(), "");
    private static final FilterDesign DESIGN = FilterDesign.of(1_000, 0.01);
    /** By the clock of Redis, longer than any machine stalls; by that of the heartbeat, it passes with each wait. */
    private static final Duration TTL = Duration.ofMinutes(1);

    private static final byte[] ONE = "one".getBytes(US_ASCII);
    private static final byte[] TWO = "two".getBytes(US_ASCII);

    private final String name = "heartbeat-" + LeaseToken.next();
    private final PatientTime time = new PatientTime(TTL); // so that each wait is followed by a renewal
    private final RedisClient client = SharedRedis.client();
    private final FilterCommands commands = new FilterCommands(name, HASH, SharedRedis.parts(client, time));
    private final FilterCopy copy = new FilterCopy(DESIGN);
    private final FilterReports reports = new FilterReports(name, "", new FilterListener() {}, () -> copy.state(true));
    private final Map<Integer, byte[]> begun = new HashMap<>();
    private final BackgroundThreads threads = new BackgroundThreads("filter-heartbeat", time);

    @AfterEach
    void close() {
        threads.shutdownNow();
        client.keys("{" + name + "*").forEach(client::del);
        client.close();
    }

    private FilterHeartbeat start() {
        return new FilterHeartbeat(commands, reports, time, ONE, begun, TTL, () -> 0).start(threads::tryToExecute);
    }

    /** Returns when each partition was begun. */
    private Map<Integer, byte[]> beginAll(byte[] id, long rank) {
        Map<Integer, byte[]> answers = new HashMap<>();
        for (int i = 0; i < BloomShape.PARTITIONS; i++) {
            List<?> answer = (List<?>) commands.send("begin", commands.begin(i, id, DESIGN, TTL, rank));
            answers.put(i, (byte[]) answer.get(1));
        }
        return answers;
    }

    private void commit(int partition) {
        assertThat(commands.send("commit", commands.commit(partition, ONE, begun.get(partition), 0)))
                .isEqualTo(1L);
    }

    @Test
    void renewalBetweenTwoCommitsKeepsWhatIsStillBeingBuilt() {
        begun.putAll(beginAll(ONE, 5));
        try (FilterHeartbeat heartbeat = start()) {
            for (int i = 0; i < BloomShape.PARTITIONS; i++) {
                if (i == BloomShape.PARTITIONS / 2) {
                    awaitRenewal();
                }
                heartbeat.check();
                commit(i);
            }
            awaitRenewal();
            heartbeat.check();
        }
    }

    @Test
    void rebuildThatIsSupersededBetweenTwoCommitsLearnsOfIt() {
        begun.putAll(beginAll(ONE, 5));
        commit(0);
        beginAll(TWO, 6);
        try (FilterHeartbeat heartbeat = start()) {
            awaitRenewal();
            assertThatThrownBy(heartbeat::check)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("another rebuild has begun since");
        }
    }

    /** When it waits again after the next wait, it has renewed after that one. */
    private void awaitRenewal() {
        int waits = time.waitsInVain();
        Fleet.until(() -> time.waitsInVain() >= waits + 2);
    }
}
