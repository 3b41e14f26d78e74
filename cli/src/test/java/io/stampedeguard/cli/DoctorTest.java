package io.stampedeguard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.CommandProxy;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fault.FaultProxy;
import io.stampedeguard.testbed.program.ProgramRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Each advice of {@code doctor}, on a real server that is set up that way, and none on one that is not. */
class DoctorTest {
    /** No advice on the latency, however busy the machine is. */
    private static final String PATIENT = "--slow=600000";

    @AutoClose
    private static final RedisProcess healthy = RedisServer.startProcess();

    private record Found(String state, String text) {}

    /** Runs the command, and returns what was found by the name of the check; the exit code is compared with it. */
    private static Map<String, Found> doctor(String uri, String... options) {
        ProgramRun ended = run(uri, options);
        Map<String, Found> found = ended.lines().stream()
                .map(line -> JsonMapper.shared().readTree(line))
                .collect(Collectors.toMap(json -> text(json, "check"), json -> found(json)));
        boolean isAdvised =
                found.values().stream().anyMatch(each -> each.state().equals("advice"));
        assertThat(ended.code()).as(ended.errors()).isEqualTo(isAdvised ? 1 : 0);
        return found;
    }

    private static ProgramRun run(String uri, String... options) {
        List<String> words = new ArrayList<>(List.of("doctor", "--json"));
        words.addAll(List.of(options));
        return Commands.on(uri, words.toArray(String[]::new));
    }

    private static Found found(JsonNode json) {
        return new Found(text(json, "state"), text(json, "text"));
    }

    private static String text(JsonNode json, String field) {
        return json.get(field).asString();
    }

    private static void assertAdvice(Map<String, Found> found, String check, String... texts) {
        assertThat(found.get(check).state()).isEqualTo("advice");
        assertThat(found.get(check).text()).contains(texts);
        assertOkBut(found, check);
    }

    private static void assertOkBut(Map<String, Found> found, String... checks) {
        assertThat(found).hasSizeGreaterThanOrEqualTo(8).allSatisfy((check, each) -> {
            if (!List.of(checks).contains(check)) {
                assertThat(each.state()).as("%s: %s", check, each.text()).isEqualTo("ok");
            }
        });
    }

    @Test
    void healthyServerNeedsNoAdvice() {
        assertOkBut(doctor(healthy.uri(), PATIENT));

        ProgramRun text = Commands.on(healthy.uri(), "doctor", PATIENT);
        assertThat(text.code()).isZero();
        assertThat(text.errors()).isEmpty();
        assertThat(text.lines()).first().isEqualTo("127.0.0.1:" + healthy.port());
        assertThat(text.lines()).last().isEqualTo("advice: 0");
        assertThat(text.lines())
                .contains("  ok       role         master, replicas: 0")
                .contains("  ok       eviction     none: maxmemory is not set")
                .contains("  ok       permissions  this user may call all commands of caches")
                .contains("  ok       leases       held: 0, cooling down: 0")
                .anyMatch(line -> line.matches("  ok       version      Redis \\d+\\.\\d+\\S*"))
                .anyMatch(line -> line.matches("  ok       clock        \\d+ ms (ahead of|behind) this machine's"))
                .anyMatch(line -> line.matches("  ok       connections  \\d+ of maxclients \\d+, refused: 0"))
                .anyMatch(line -> line.matches("  ok       latency      \\d+\\.\\d ms \\(median of 25\\)"))
                .hasSize(10);
    }

    @ParameterizedTest
    @CsvSource({
        "volatile-ttl, leases before entries",
        "allkeys-lfu, leases before entries",
        "allkeys-random, leases as readily as entries"
    })
    void harmfulEvictionPolicy(String policy, String reason) {
        try (RedisProcess server = RedisServer.startProcess("--maxmemory", "64mb", "--maxmemory-policy", policy)) {
            assertAdvice(doctor(server.uri(), PATIENT), "eviction", policy, reason, "set volatile-lru");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"volatile-lru", "noeviction"})
    void suitableEvictionPolicy(String policy) {
        try (RedisProcess server = RedisServer.startProcess("--maxmemory", "1gb", "--maxmemory-policy", policy)) {
            Map<String, Found> found = doctor(server.uri(), PATIENT);
            assertOkBut(found);
            assertThat(found.get("eviction").text()).isEqualTo(policy + ", memory used: 0 %, keys evicted: 0");
        }
    }

    @Test
    void fullServerThatEvictsNothing() {
        try (RedisProcess server =
                RedisServer.startProcess("--maxmemory", "500kb", "--maxmemory-policy", "noeviction")) {
            assertAdvice(doctor(server.uri(), PATIENT), "eviction", "noeviction, memory used: ", "raise maxmemory");
        }
    }

    @Test
    void serverThatIsTooOld() {
        try (CommandProxy old = changed("INFO", """
                return (string.gsub(redis.call('INFO'), 'redis_version:[%d.]+', 'redis_version:6.0.16'))""")) {
            Map<String, Found> found = doctor(old.uri(), PATIENT);
            assertThat(found.get("version"))
                    .isEqualTo(new Found("advice", "the server is Redis 6.0.16, but 6.2 or newer is needed"));
            assertThat(found.get("permissions")).isEqualTo(new Found("unknown", "servers report them since Redis 7"));
            assertOkBut(found, "version", "permissions");
        }
    }

    @Test
    void serverWithoutAVersionIsUnknown() {
        try (CommandProxy nameless = changed("INFO", "return 'role:master\\r\\n'")) {
            Map<String, Found> found = doctor(nameless.uri(), PATIENT);
            assertThat(found.get("version").state()).isEqualTo("unknown");
            assertThat(found.get("eviction").state()).isEqualTo("unknown");
        }
    }

    @ParameterizedTest
    @CsvSource({"3600, ahead of", "-3600, behind"})
    void clockThatDiffers(String seconds, String word) {
        try (CommandProxy skewed = changed("TIME", """
                local time = redis.call('TIME')
                return {string.format('%%.0f', time[1] + %s), time[2]}""".formatted(seconds))) {
            assertAdvice(doctor(skewed.uri(), PATIENT), "clock", " ms " + word + " this machine's: synchronize both");
        }
    }

    /** A proxy in front of the healthy server that sends a script in place of a command. */
    private static CommandProxy changed(String command, String script) {
        UnaryOperator<List<byte[]>> way = words -> new String(words.get(0), UTF_8).equalsIgnoreCase(command)
                ? List.of("EVAL".getBytes(UTF_8), script.getBytes(UTF_8), "0".getBytes(UTF_8))
                : words;
        return new CommandProxy(healthy.host(), healthy.port(), way);
    }

    @Test
    void replica() {
        try (RedisProcess replica = RedisServer.startProcess("--replicaof", healthy.host() + " " + healthy.port())) {
            assertAdvice(
                    doctor(replica.uri(), PATIENT),
                    "role",
                    "a replica of 127.0.0.1:" + healthy.port() + ", which refuses changes");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "~* &* +@all -strlen -getrange, 'may not call GETRANGE, STRLEN,', 'permit +getrange +strlen '",
        "~* &* +@all -publish, 'may not call PUBLISH,', 'permit +publish '",
        "~* &* +@all -subscribe, 'may not call SUBSCRIBE,', 'permit +subscribe '",
        "~* +@all, 'may not call PUBLISH, SUBSCRIBE,', '&{*'",
        "~* &* +@all -eval, 'may not call EVAL,', 'permit +eval '"
    })
    void missingPermission(String rights, String missing, String advice) {
        assertAdvice(doctor(user(rights), PATIENT), "permissions", missing, advice);
    }

    @Test
    void userOfSomeKeysIsCheckedWithTheNameOfACache() {
        String uri = user("~{products:* &{products:* +@all");

        assertThat(doctor(uri, PATIENT).get("permissions"))
                .isEqualTo(new Found("unknown", "this user may access only some keys: name a cache (--cache)"));
        assertOkBut(doctor(uri, PATIENT, "--cache", "products"));
        assertAdvice(
                doctor(uri, PATIENT, "--cache", "customers"),
                "permissions",
                "may not access the keys of the cache: permit ~{customers:* &{customers:*");
        assertAdvice(
                doctor(uri, PATIENT, "--cache", "products", "--prefix", "app:"),
                "permissions",
                "permit ~app:{products:* &app:{products:*");
    }

    @Test
    void whatTheUserMayNotAskIsUnknown() {
        Map<String, Found> found = doctor(user("~* &* +@all -time -scan"), PATIENT);

        for (String check : List.of("clock", "latency", "leases")) {
            assertThat(found.get(check).state()).isEqualTo("unknown");
            assertThat(found.get(check).text()).contains("NOPERM");
        }
        assertThat(found.get("permissions").text()).contains("may not call TIME,");
        assertOkBut(found, "permissions", "clock", "latency", "leases");
    }

    private static String user(String rights) {
        try (Jedis admin = PlainRedis.admin(healthy.host(), healthy.port())) {
            admin.aclSetUser("app", ("reset on >pw " + rights).split(" "));
        }
        return healthy.uri().replace("//", "//app:pw@");
    }

    @Test
    void connectionsThatAreNearlyUsedUp() {
        List<Jedis> open = new ArrayList<>();
        try (RedisProcess server = RedisServer.startProcess("--maxclients", "20")) {
            for (int i = 0; i < 17; i++) {
                Jedis each = PlainRedis.admin(server.host(), server.port());
                open.add(each);
                each.ping();
            }
            assertAdvice(doctor(server.uri(), PATIENT), "connections", " of maxclients 20: ", "raise maxclients");
            open.forEach(Jedis::close);
        }
    }

    @Test
    void serverThatIsFar() {
        try (FaultProxy far = FaultProxy.start(healthy.host(), healthy.port(), 1)) {
            far.delayAnswers(Duration.ofMillis(20), Duration.ZERO);
            assertAdvice(doctor(far.uri()), "latency", " ms (median of 25): each hit in Redis takes as long");
        }
    }

    @Test
    void failedLoadsAreCounted() {
        try (RedisProcess server = RedisServer.startProcess();
                Jedis admin = PlainRedis.admin(server.host(), server.port())) {
            SetParams aMinute = SetParams.setParams().px(60_000);
            admin.set("{products:1}:lease", "stampedeguard:failed 1 60000 0\nx", aMinute);
            admin.set("{products:2}:lease", "somebody's", aMinute);

            assertAdvice(doctor(server.uri(), PATIENT), "leases", "held: 1, cooling down: 1: loads failed");
            Map<String, Found> others = doctor(server.uri(), PATIENT, "--cache", "customers");
            assertThat(others.get("leases")).isEqualTo(new Found("ok", "held: 0, cooling down: 0"));
        }
    }
}
