package io.stampedeguard.filter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.PageCode;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of {@code docs/penetration.md} compiles and works on a real server, and the rights it lists suffice. */
final class PenetrationPageTest {
    private static final Path PAGE = Path.of("..", "docs", "penetration.md");
    private static final String STORE =
            "+get +mget +getrange +set +del +setrange +strlen +pttl +pexpire +time +ping +eval +evalsha +hello";
    private static final String LOOK = "+info +hmget +getrange +bitfield +exists +hdel";
    private static final String REBUILD = "+hset +persist +bitop +bitcount";

    private static final Pattern CALL = Pattern.compile("\\b(?:call|read)\\('([A-Z]+)'");

    @TempDir
    private Path directory;

    @Test
    void codeOfThePageRuns() throws Exception {
        try (RedisProcess server = RedisServer.startProcess()) {
            String code = PageCode.withPatience(PageCode.of(PAGE), "redis://localhost:6379", server.uri());

            assertThat(PageCode.run(directory, "PenetrationPage", program(code)))
                    .isEqualTo("lamp, null, 1 load");
        }
    }

    @Test
    void rightsOfThePageAreEnough() throws Exception {
        assertThat(Files.readString(PAGE)).contains("`" + LOOK + "`", "`" + REBUILD + "`");
        String looking = "--user looking on >geheim1 ~{products:* " + STORE + " " + LOOK;
        String building = looking.replace("looking", "building") + " " + REBUILD;
        try (RedisProcess server =
                        RedisServer.startProcess(("--requirepass geheim0 " + looking + " " + building).split(" "));
                RedisStore store = connect(server, "building");
                RedisStore other = connect(server, "looking");
                RedisKeyFilter<Long> builder = filter(store);
                RedisKeyFilter<Long> filter = filter(other)) {
            builder.rebuild(() -> Stream.of(1L, 2L));
            builder.rebuild(() -> Stream.of(1L, 2L));

            assertThat(filter.mightContain(1L)).isTrue();
            assertThat(filter.mightContain(-3L)).isFalse();
            filter.add(-3L);
            assertThat(builder.mightContain(-3L)).isTrue();
        }
    }

    @Test
    void rightsOfThePageAreThoseOfTheScripts() throws Exception {
        Set<String> called = new TreeSet<>();
        Path scripts =
                Path.of(RedisKeyFilter.class.getResource("look.lua").toURI()).getParent();
        try (Stream<Path> files = Files.list(scripts)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".lua")).toList()) {
                Matcher call = CALL.matcher(Files.readString(file));
                while (call.find()) {
                    called.add("+" + call.group(1).toLowerCase(Locale.ROOT));
                }
            }
        }

        assertThat(called).hasSizeGreaterThan(5);
        assertThat((STORE + " " + LOOK + " " + REBUILD).split(" ")).containsAll(called);
    }

    private static RedisStore connect(RedisProcess server, String user) {
        return RedisStore.connect(
                "redis://%s:geheim1@%s:%d".formatted(user, server.host(), server.port()), SharedRedis.PATIENT);
    }

    private static RedisKeyFilter<Long> filter(RedisStore store) {
        return RedisKeyFilter.<Long>builder("products", store)
                .expectedKeys(1_000)
                .build();
    }

    private static String program(String code) {
        return """
                import io.stampedeguard.StampedeGuardedCache;
                import io.stampedeguard.codec.StringCodec;
                import io.stampedeguard.filter.redis.RedisKeyFilter;
                import io.stampedeguard.redis.RedisStore;
                import java.util.Map;
                import java.util.concurrent.ConcurrentHashMap;
                import java.util.concurrent.atomic.AtomicInteger;
                import java.util.stream.Stream;

                public class PenetrationPage {
                    static class Dao {
                        final Map<Long, String> rows = new ConcurrentHashMap<>(Map.of(42L, "table"));
                        final AtomicInteger loads = new AtomicInteger();

                        Stream<Long> allIds() {
                            return rows.keySet().stream();
                        }

                        void insert(Long id, String row) {
                            rows.put(id, row);
                        }

                        String findById(Long id) {
                            loads.incrementAndGet();
                            return rows.get(id);
                        }
                    }

                    public static Object run() {
                        Dao dao = new Dao();
                        %s
                        String there = products.get(43L, dao::findById);
                        String none = products.get(44L, dao::findById);
                        products.close();
                        filter.close();
                        redis.close();
                        return there + ", " + none + ", " + dao.loads + " load";
                    }
                }
                """.formatted(code);
    }
}
