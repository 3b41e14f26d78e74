package io.stampedeguard.filter.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.OwnRedis;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.redis.WireFormat;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** The filter writes what 0.1 does, byte for byte, and reads what 0.1 has written. */
class FilterWireFormatTest {
    private static final int PARTITIONS = 32;

    /** That of the keys 1 and 11. */
    private static final String PARTITION = "{products:filter:05}:";

    private final WireFormat format = new WireFormat(FilterWireFormatTest.class, "wire-format-0.1.txt");
    private final OwnRedis redis = new OwnRedis();
    private final Jedis admin = redis.admin();
    private final RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);

    @AfterEach
    void close() {
        store.close();
        redis.close();
    }

    private RedisKeyFilter<Long> open() {
        return RedisKeyFilter.<Long>builder("products", store)
                .expectedKeys(2_000)
                .falsePositiveRate(0.001)
                .build();
    }

    private void note(String step) {
        format.noteKeys(step, admin, PARTITION + "*");
    }

    @Test
    void filterWritesTheSameBytes() throws IOException {
        try (RedisKeyFilter<Long> filter = open()) {
            filter.rebuild(() -> {
                note("rebuild begun");
                return Stream.of(1L);
            });
            note("rebuilt");
            filter.add(11L);
            note("key added");
            filter.rebuild(() -> {
                note("next rebuild begun");
                return Stream.of(11L);
            });
            note("rebuilt again");
        }
        format.assertUnchanged();
    }

    @Test
    void recordedFilterExcludesWhatItDoesNotContain() {
        Map<String, String> state = new HashMap<>();
        for (String field : format.recorded("rebuilt", PARTITION + "state")
                .replace("<uuid>", UUID.randomUUID().toString())
                .replace("<micros>", "1800000000000000")
                .replace("<run>", runOfTheServer())
                .split(", ")) {
            String[] parts = field.split("=", 2);
            state.put(parts[0], parts[1]);
        }
        byte[] bitmap = WireFormat.bytes(format.recorded("key added", PARTITION + "a"));
        for (int i = 0; i < PARTITIONS; i++) {
            String partition = "{products:filter:%02d}:".formatted(i);
            admin.hset(partition + "state", state);
            admin.set(
                    (partition + "a").getBytes(UTF_8), partition.equals(PARTITION) ? bitmap : new byte[bitmap.length]);
        }

        try (RedisKeyFilter<Long> filter = open()) {
            assertThat(filter.definitelyAbsent(List.of(1L, 11L, -1L))).containsExactly(-1L);
        }
    }

    private String runOfTheServer() {
        return admin.info("replication")
                .lines()
                .filter(line -> line.startsWith("master_replid:"))
                .findFirst()
                .orElseThrow()
                .substring("master_replid:".length());
    }
}
