package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.members;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.RecordingListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;

/** A permission that a user of Redis lacks is named: by the log, and by each request that is refused for it. */
class UserRightsTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final LeaseToken TOKEN = new LeaseToken(1, 2, 3);
    private static final HeldLease LEASE = new HeldLease("acl:k", TOKEN);
    private static final Path PAGE = Path.of("..", "docs", "options.md");

    @AutoClose
    private static final OwnRedis redis = new OwnRedis();

    private static final Jedis admin = redis.admin();

    @AfterEach
    void empty() {
        admin.flushAll();
        admin.scriptFlush();
        admin.aclLogReset();
    }

    /** A command, and a request that needs it, after others that do not. */
    private enum Needed {
        GET(store -> on(store).read("acl:k")),
        MGET(UserRightsTest::lease),
        GETRANGE(store -> {
            lease(store);
            on(store).fail("acl:k", TOKEN, new LeaseEnd.Fail(new byte[0], 1, LONG, LONG));
        }),
        STRLEN(store -> on(store).expire("acl:k", 0, new byte[1])),
        PTTL(store -> {
            lease(store);
            on(store).lease("acl:k", LeaseToken.next(), null, LONG);
        }),
        SET(UserRightsTest::lease),
        SETRANGE(store -> {
            on(store).put("acl:k", TOKEN.toBytes(), LONG);
            on(store).expire("acl:k", 0, new byte[1]);
        }),
        PEXPIRE(store -> {
            on(store).put("acl:k", TOKEN.toBytes(), LONG);
            LeaseToken next = LeaseToken.next();
            on(store).lease("acl:k", next, TOKEN, LONG);
            on(store).extend("acl:k", next, TOKEN, next.toBytes(), LONG);
        }),
        DEL(store -> on(store).invalidate("acl:k")),
        PING(RedisStore::ping),
        EVAL(UserRightsTest::lease),
        EVALSHA(UserRightsTest::lease);

        private final Consumer<RedisStore> request;

        Needed(Consumer<RedisStore> request) {
            this.request = request;
        }
    }

    private static void lease(RedisStore store) {
        on(store).lease("acl:k", TOKEN, null, LONG);
    }

    @ForEach
    void eachIsNamedOnConnectAndByTheRefusedRequest(Needed needed) {
        String uri = user("~* &* +@all -" + needed);
        LogLines log = LogLines.of(() -> {
            try (RedisStore store = RedisStore.connect(uri, SharedRedis.PATIENT)) {
                assertRefused(needed.name(), () -> needed.request.accept(store));
            }
        });
        assertThat(log.only(""))
                .contains(
                        "WARN io.stampedeguard.redis.RedisStore - The user of Redis at 127.0.0.1:"
                                + redis.server().port() + " may not call " + needed + ": ",
                        "permit +" + needed.name().toLowerCase(Locale.ROOT));
    }

    @Test
    void withoutTimeThereIsNoStore() {
        String uri = user("~* &* +@all -time");
        assertRefused("TIME", () -> RedisStore.connect(uri, SharedRedis.PATIENT).close());
    }

    @Test
    void whoeverMayNotCallTimeLearnsOfAllThatIsMissing() {
        String uri = user("~* &* +@all -time -set -strlen");
        assertThatThrownBy(() -> RedisStore.connect(uri, SharedRedis.PATIENT).close())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("NOPERM")
                .hasMessageEndingWith("; the user may not call STRLEN, SET, TIME: permit +strlen +set +time");
    }

    @Test
    void thoseOfTheDefaultUserAreNamedTogether() {
        try (RedisProcess restricted =
                RedisServer.startProcess("--user default on nopass ~* &* +@all -getrange -strlen".split(" "))) {
            LogLines log = LogLines.of(() ->
                    RedisStore.connect(restricted.uri(), SharedRedis.PATIENT).close());
            assertThat(log.only("")).contains("may not call GETRANGE, STRLEN: ", "permit +getrange +strlen");
        }
    }

    @Test
    void commandThatTheServerHasUnderAnotherNameIsNamedAsWell() {
        try (RedisProcess renamed = RedisServer.startProcess("--rename-command", "STRLEN", "")) {
            LogLines log = LogLines.of(() -> {
                try (RedisStore store = RedisStore.connect(renamed.uri(), SharedRedis.PATIENT)) {
                    assertRefused("STRLEN", () -> on(store).expire("acl:k", 0, new byte[1]));
                }
            });
            assertThat(log.lines()).singleElement().asString().contains("may not call STRLEN: ");
        }
    }

    /** Which keys the user may access is known from the first change only, whether or not that is refused. */
    @ParameterizedTest
    @ValueSource(strings = {"MGET", "STRLEN"})
    void userOfSomeKeysIsWarnedAfterTheFirstChange(String missing) throws Exception {
        String uri = user("~{acl:* &{acl:* " + documented("Cache") + " -" + missing);
        LogLines log = LogLines.of(() -> {
            try (RedisStore store = RedisStore.connect(uri, SharedRedis.PATIENT)) {
                tryTo(() -> lease(store));
                LogLines.await("may not call " + missing);
                tryTo(() -> lease(store));
            }
        });
        assertThat(log.lines()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"MGET", "STRLEN"})
    void clientOfTheCallersIsCheckedAfterTheFirstChange(String missing) {
        try (UnifiedJedis client = PlainRedis.connectPatiently(user("~* &* +@all -" + missing), 2)) {
            LogLines log = LogLines.of(() -> {
                RedisStore store = RedisStore.using(client, SharedRedis.PATIENT);
                tryTo(() -> lease(store));
                LogLines.await("The user of Redis may not call " + missing + ": ");
                tryTo(() -> lease(store));
            });
            assertThat(log.lines()).hasSize(1);
        }
    }

    @Test
    void userWithAllIsNotWarnedAndTheServerLogsNoDenial() throws Exception {
        String uri = user("~{acl:* &{acl:* +info " + documented("Cache"));
        admin.configResetStat();
        LogLines log = LogLines.of(() -> {
            try (RedisStore store = RedisStore.connect(uri, SharedRedis.PATIENT)) {
                lease(store); // by EVAL, between the two checks
                Fleet.until(() -> redis.calls("eval") == 3);
                assertThat(on(store).publish("acl:k", TOKEN, TOKEN.toBytes(), LONG))
                        .isTrue();
            }
        });
        assertThat(log.lines()).isEmpty();
        // From Redis 7.2 on, Jedis introduces itself when it connects, which may be refused.
        assertThat(admin.aclLog())
                .filteredOn(entry -> !entry.getObject().equals("client|setinfo"))
                .isEmpty();
    }

    private enum Request {
        RENEW(store -> store.shared().renew(List.of(LEASE), LONG)),
        EXTEND(store -> on(store).extend("acl:k", TOKEN, TOKEN, new byte[1], LONG)),
        FAIL(store -> on(store).fail("acl:k", TOKEN, new LeaseEnd.Fail(new byte[0], 1, LONG, LONG))),
        LEASE_OF_A_SEEN_ENTRY(store -> on(store).lease("acl:k", TOKEN, TOKEN, LONG));

        private final Consumer<RedisStore> request;

        Request(Consumer<RedisStore> request) {
            this.request = request;
        }
    }

    @ForEach
    void refusedReadOfAScriptIsARefusalOfIt(Request request) {
        try (RedisStore store = RedisStore.connect(user("~* &* +@all -getrange"), SharedRedis.PATIENT)) {
            lease(store);
            assertRefused("GETRANGE", () -> request.request.accept(store));
        }
    }

    @Test
    void aLeaseIsRenewedWithoutPexpire() {
        try (RedisStore store = RedisStore.connect(user("~* &* +@all -pexpire"), SharedRedis.PATIENT)) {
            lease(store);
            admin.pexpire("{acl:k}:lease", 30_000);
            assertThat(store.shared().renew(List.of(LEASE), LONG)).isEmpty();
            assertThat(admin.pttl("{acl:k}:lease")).isGreaterThan(30_000);
        }
    }

    @Test
    void budgetIsRefusedByName() {
        try (RedisStore store = RedisStore.connect(user("~* &* +@all -zadd"), SharedRedis.PATIENT)) {
            assertRefused("ZADD", () -> members(store).beat("acl", "p", LONG));
        }
    }

    @Test
    void aMissNeedsNoGetrange() {
        RecordingListener listener = new RecordingListener();
        AtomicInteger loads = new AtomicInteger();
        try (RedisStore store = RedisStore.connect(user("~* &* +@all -getrange"), SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> cache = cache(store, listener)) {
            for (int i = 0; i < 2; i++) {
                assertThat(cache.get("k", key -> "row " + loads.incrementAndGet()))
                        .isEqualTo("row 1");
            }
            assertThat(listener.faults()).isEmpty();
        }
    }

    @Test
    void expirationWithoutStrlenIsQueued() {
        RecordingListener listener = new RecordingListener();
        try (RedisStore store = RedisStore.connect(user("~* &* +@all -strlen"), SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> cache = cache(store, listener);
                RedisStore another = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
                StampedeGuardedCache<String, String> other = cache(another, new RecordingListener())) {
            assertThat(cache.get("k", key -> "old")).isEqualTo("old");
            cache.expire("k");
            assertThat(listener.faults())
                    .isNotEmpty()
                    .allSatisfy(fault -> assertThat(fault).hasMessageContaining("STRLEN"));
            assertThat(listener.amounts(EventType.QUEUED_CHANGES)).contains(1L);

            user("~* &* +@all");
            Fleet.until(() -> other.get("k", key -> "new").equals("new"));
        }
    }

    private static StampedeGuardedCache<String, String> cache(RedisStore store, RecordingListener listener) {
        return textCache("acl", store).listener(listener).build();
    }

    /** The documented permissions are those that are checked, and those that the scripts call. */
    @Test
    void documentedPermissionsAreThoseOfTheScripts() throws Exception {
        Set<String> ofCaches = commands(documented("Cache"));
        Path scripts =
                Path.of(RedisStore.class.getResource("publish.lua").toURI()).getParent();
        Set<String> checked = matches("\\{'([A-Z]+)'", scripts.resolve("rights.lua"));
        checked.addAll(Set.of("EVAL", "HELLO")); // without which the check, or the connection, is refused
        assertThat(checked).isEqualTo(ofCaches);

        Set<String> called = new TreeSet<>();
        try (Stream<Path> files = Files.list(scripts)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".lua")).toList()) {
                called.addAll(matches("\\b(?:call|read)\\('([A-Z]+)'", file));
            }
        }
        Set<String> documented = new TreeSet<>(ofCaches);
        documented.addAll(commands(documented("`originBudget`")));
        documented.addAll(commands(documented("Tags")));
        assertThat(documented).containsAll(called);
        Set<String> plain = new TreeSet<>(documented);
        plain.removeAll(called);
        assertThat(plain)
                .as("called by no script, or only if permitted")
                .containsExactlyInAnyOrder("EVAL", "EVALSHA", "HELLO", "PING", "ZREVRANGE", "ZSCORE");
    }

    private static Set<String> matches(String pattern, Path file) throws IOException {
        Set<String> found = new TreeSet<>();
        Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(file));
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    private static String documented(String use) throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("- **" + use + ":**"))
                .findFirst()
                .orElseThrow()
                .replaceAll(".*`(\\+[^`]*)`.*", "$1");
    }

    private static Set<String> commands(String permissions) {
        Set<String> names = new TreeSet<>();
        Arrays.stream(permissions.split(" "))
                .forEach(each -> names.add(each.substring(1).toUpperCase(Locale.ROOT)));
        return names;
    }

    /** Gives the user exactly these rights, and returns its URI. */
    private static String user(String rights) {
        List<String> words = new ArrayList<>(List.of("reset", "on", ">geheim"));
        words.addAll(List.of(rights.toLowerCase(Locale.ROOT).split(" ")));
        admin.aclSetUser("app", words.toArray(String[]::new));
        return "redis://app:geheim@" + redis.server().host() + ":"
                + redis.server().port();
    }

    private static void assertRefused(String command, Runnable request) {
        assertThatThrownBy(request::run)
                .isInstanceOf(StoreException.class)
                .satisfies(failure -> assertThat(failure.getMessage().toUpperCase(Locale.ROOT))
                        .contains(command));
    }

    private static void tryTo(Runnable request) {
        assertThatCode(request::run)
                .satisfiesAnyOf(
                        failure -> assertThat(failure).isNull(),
                        failure -> assertThat(failure).isInstanceOf(StoreException.class));
    }
}
