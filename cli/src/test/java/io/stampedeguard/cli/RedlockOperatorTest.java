package io.stampedeguard.cli;

import static io.stampedeguard.redlock.PatientStores.PATIENT;
import static java.time.Duration.ofMinutes;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.redlock.PatientStores;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.program.ProgramRun;
import io.stampedeguard.testkit.Fleet;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** What {@code docs/operations.md} states about leases that lock servers hold as well. */
@Order(1)
class RedlockOperatorTest {
    private static final String LOCKS = "locks-";
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofMinutes(30)) // not renewed before the test has ended
            .loadTimeout(ofMinutes(10))
            .waitTimeout(ofMinutes(10))
            .build();

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private RedisProcess values;
    private List<RedisProcess> lockServers;

    @BeforeEach
    void start() {
        values = opened(RedisServer.startProcess());
        lockServers = List.of(
                opened(RedisServer.startProcess()),
                opened(RedisServer.startProcess()),
                opened(RedisServer.startProcess()));
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    @Test
    void leaseIsReleasedOnLockServersBeforeTheStore() throws Exception {
        CompletableFuture<String> late = new CompletableFuture<>();
        StampedeGuardedCache<String, String> elsewhere = cache();
        CompletableFuture<String> first = cache().getAsync("42", key -> late);
        try (Jedis admin = PlainRedis.admin(values.host(), values.port())) {
            Fleet.until(() -> admin.exists("{products:42}:lease"));
            for (RedisProcess server : lockServers) {
                Fleet.until(() -> isLocked(server));
            }
            CompletableFuture<String> woken = elsewhere.getAsync("42", key -> CompletableFuture.completedFuture("new"));
            Fleet.until(() -> admin.pubsubNumSub("{products:42}:lease").get("{products:42}:lease") > 0);

            for (RedisProcess server : lockServers) {
                assertThat(lease(server, "--prefix", LOCKS, "--release"))
                        .startsWith("0 lease of 'products:42': held by ")
                        .contains("\nreleased");
            }
            assertThat(lease(lockServers.get(0), "--prefix", LOCKS)).isEqualTo("1 lease of 'products:42': free");
            assertThat(woken).isNotDone();
            assertThat(lease(values, "--release")).startsWith("0 ").contains("\nreleased");
            assertThat(woken.get(60, SECONDS)).isEqualTo("new");
        }
        late.complete("old");
        first.get(60, SECONDS);
        assertThat(elsewhere.get("42", key -> "unused")).isEqualTo("new");
    }

    private static boolean isLocked(RedisProcess server) {
        try (Jedis admin = PlainRedis.admin(server.host(), server.port())) {
            return admin.exists(LOCKS + "{products:42}:lease");
        }
    }

    /** The exit code and the output. */
    private static String lease(RedisProcess server, String... options) {
        ProgramRun ended = Commands.on(
                server.uri(),
                Stream.concat(Stream.of("lease", "products:42"), Stream.of(options))
                        .toArray(String[]::new));
        return ended.code() + " " + String.join("\n", ended.lines()) + ended.errors();
    }

    private StampedeGuardedCache<String, String> cache() {
        RedisStoreOptions forLocks = PATIENT.toBuilder().keyPrefix(LOCKS).build();
        List<RedisStore> locks = lockServers.stream()
                .map(server -> opened(RedisStore.connect(server.uri(), forLocks)))
                .toList();
        return opened(StampedeGuardedCache.<String, String>builder("products")
                .store(PatientStores.redlock(opened(RedisStore.connect(values.uri(), PATIENT)), locks))
                .codec(StringCodec.of())
                .policy(POLICY)
                .build());
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.push(resource);
        return resource;
    }
}
