package io.stampedeguard.filter.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.filter.internal.BloomShape;
import io.stampedeguard.filter.redis.FilterGeneration.FilterDesign;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.redis.internal.parts.StoreParts;
import io.stampedeguard.testkit.KeyFilterContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every key filter must do, on some Redis. */
abstract class RedisKeyFilterContract extends KeyFilterContract {
    private static final int ROWS = 1_000;

    protected abstract RedisStore store();

    @Override
    protected KeyFilter<Long> newFilter(long expectedKeys, double rate) {
        return RedisKeyFilter.<Long>builder("contract-" + LeaseToken.next(), store())
                .expectedKeys(expectedKeys)
                .falsePositiveRate(rate)
                .build();
    }

    /** They were sent again on other connections, and answered, before. */
    @Test
    @Tag("essential")
    void copiesOfARebuildThatComeAfterAnotherOneChangeNothing() {
        String name = "late-" + LeaseToken.next();
        HashIdentity hash = HashIdentity.of(KeyHash.standard(), "");
        FilterCommands commands = new FilterCommands(name, hash, StoreParts.of(store()));
        List<Script.Call> sent = rebuildWithoutKeys(commands, hash.idOf(UUID.randomUUID()));
        try (RedisKeyFilter<Long> filter = open(name);
                RedisKeyFilter<Long> another = open(name)) {
            filter.rebuild(RedisKeyFilterContract::rows);

            sent.forEach(call -> commands.send("send again", call));

            assertThat(another.definitelyAbsent(rows().toList())).isEmpty();
            assertThat(another.definitelyAbsent(List.of(-1L, -2L, -3L, -4L, -5L, -6L)))
                    .isNotEmpty();
            another.rebuild(() -> {
                sent.forEach(call -> commands.send("send again", call));
                return Stream.of(1L);
            });
            assertThat(filter.definitelyAbsent(List.of(1L))).isEmpty();
        }
    }

    private RedisKeyFilter<Long> open(String name) {
        return RedisKeyFilter.<Long>builder(name, store()).expectedKeys(ROWS).build();
    }

    private static Stream<Long> rows() {
        return LongStream.rangeClosed(1, ROWS).boxed();
    }

    /** Rebuilds a filter, and returns what was sent. */
    private static List<Script.Call> rebuildWithoutKeys(FilterCommands commands, String generation) {
        byte[] id = generation.getBytes(US_ASCII);
        FilterDesign design = FilterDesign.of(ROWS, 0.01);
        Duration ttl = Duration.ofMinutes(10);
        byte[] none = new byte[design.shape().blocksPerPartition() * BloomShape.BLOCK_BYTES];
        List<Script.Call> sent = new ArrayList<>();
        for (int i = 0; i < BloomShape.PARTITIONS; i++) {
            String rank = new String((byte[]) commands.send("ask", commands.rank(i)), US_ASCII);
            Script.Call begin = commands.begin(i, id, design, ttl, Long.parseLong(rank));
            byte[] begun = (byte[]) ((List<?>) commands.send("begin", begin)).get(1);
            Script.Call fill = commands.fill(i, id, begun, ttl, 0, none);
            commands.send("fill", fill);
            Script.Call commit = commands.commit(i, id, begun, 0);
            assertThat(commands.send("commit", commit)).isEqualTo(1L);
            sent.addAll(List.of(begin, fill, commit));
        }
        return sent;
    }

    @Override
    protected void rebuild(KeyFilter<Long> filter, Supplier<? extends Stream<Long>> keys) {
        ((RedisKeyFilter<Long>) filter).rebuild(keys);
    }
}
