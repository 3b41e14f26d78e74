package io.stampedeguard.filter.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.CommandProxy;
import io.stampedeguard.redis.LogLines;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The rights that a Redis user needs. */
class FilterRightsTest {
    private static final String STORE = " ~{products:* +get +mget +getrange +set +del +pttl +pexpire +strlen +setrange"
            + " +time +hello +ping +evalsha +eval";
    private static final String LOOK = " +hmget +bitfield +exists +hdel";
    private static final String REBUILD = " +hset +persist +bitop +bitcount";
    private static final String USERS = "--user least on >one" + STORE + LOOK + REBUILD + " +info"
            + " --user silent on >two" + STORE + LOOK + REBUILD
            + " --user looking on >three" + STORE + LOOK + REBUILD.replace(" +bitop", "") + " +info";

    @AutoClose
    private static final RedisProcess SERVER = RedisServer.startProcess(USERS.split(" "));

    private static RedisStore connect(String credentials) {
        return RedisStore.connect("redis://" + credentials + "@127.0.0.1:" + SERVER.port(), SharedRedis.PATIENT);
    }

    private static RedisKeyFilter<Long> open(RedisStore store) {
        return RedisKeyFilter.<Long>builder("products", store).expectedKeys(10).build();
    }

    @Test
    void userWithTheLeastRightsCanDoAll() {
        try (RedisStore store = connect("least:one");
                RedisKeyFilter<Long> filter = open(store)) {
            filter.rebuild(() -> Stream.of(1L));
            filter.rebuild(() -> {
                filter.add(2L);
                return Stream.of(1L);
            });
            assertThat(filter.definitelyAbsent(List.of(1L, 2L, 3L))).containsExactly(3L);
        }
    }

    @Test
    void rebuildIsRefusedByTheNameOfTheCommand() {
        try (RedisStore store = connect("looking:three");
                RedisKeyFilter<Long> filter = open(store)) {
            assertThatThrownBy(() -> filter.rebuild(() -> Stream.of(1L)))
                    .isInstanceOf(StoreException.class)
                    .satisfies(failure -> assertThat(failure.getMessage().toUpperCase(Locale.ROOT))
                            .contains("BITOP"));
        }
    }

    @Test
    void userWithoutInfoRightsIsWarnedOnceAndAllKeysPass() {
        try (RedisStore able = connect("least:one");
                RedisKeyFilter<Long> builder = open(able)) {
            builder.rebuild(() -> Stream.of(1L));
        }
        LogLines log = LogLines.of(() -> {
            try (RedisStore store = connect("silent:two");
                    RedisKeyFilter<Long> filter = open(store)) {
                assertThat(filter.definitelyAbsent(List.of(1L, 2L, 3L))).isEmpty();
                assertThat(filter.mightContain(3L)).isTrue();
                assertThatThrownBy(() -> filter.rebuild(() -> Stream.of(1L)))
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("+info");
                filter.add(3L);
            }
        });
        assertThat(log.only("WARN")).contains("filter 'products'", "+info");
    }

    /** A proxy answers scripts as a server does that refuses INFO. */
    @Test
    void serverTextIsEscapedInTheLogAndTheException() {
        String refusal = "return {-1, 'ERR \\27[31mred\\r\\nforged'}";
        LogLines log = LogLines.of(() -> {
            try (CommandProxy proxy = new CommandProxy("127.0.0.1", SERVER.port(), words -> refused(words, refusal));
                    RedisStore store = RedisStore.connect(proxy.uri(), SharedRedis.PATIENT);
                    RedisKeyFilter<Long> filter = open(store)) {
                assertThat(filter.mightContain(3L)).isTrue();
                assertThatThrownBy(() -> filter.rebuild(() -> Stream.of(1L)))
                        .isInstanceOf(StoreException.class)
                        .hasMessageEndingWith("it answered: ERR \\u{1b}[31mred\\u{d}\\u{a}forged");
            }
        });
        assertThat(log.only("lets all keys pass")).endsWith("Redis answered: ERR \\u{1b}[31mred\\u{d}\\u{a}forged");
    }

    private static List<byte[]> refused(List<byte[]> words, String script) {
        boolean isOfOneKey = words.size() < 6; // such as the query for the time
        if (isOfOneKey || !new String(words.get(0), UTF_8).startsWith("EVAL")) {
            return words;
        }
        return List.of("EVAL".getBytes(UTF_8), script.getBytes(UTF_8), "0".getBytes(UTF_8));
    }

    @Test
    void serverWithoutInfoIsTheSame() {
        try (RedisProcess server = RedisServer.startProcess("--rename-command", "INFO", "");
                RedisStore store = RedisStore.connect(server.uri(), SharedRedis.PATIENT);
                RedisKeyFilter<Long> filter = open(store)) {
            assertThat(filter.mightContain(3L)).isTrue();
            assertThatThrownBy(() -> filter.rebuild(() -> Stream.of(1L))).hasMessageContaining("+info");
        }
    }
}
