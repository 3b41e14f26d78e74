package io.stampedeguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.Topologies;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.program.ProgramRun;
import io.stampedeguard.testbed.topology.RedisCluster;
import io.stampedeguard.testbed.topology.RedisSentinels;
import io.stampedeguard.testkit.Fleet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** The commands on Sentinels and on a cluster. */
class DoctorTopologyTest {
    private static ProgramRun doctor(String uri) {
        return Commands.on(uri, "doctor", "--slow", "600000");
    }

    @Test
    @Tag("proof")
    void sentinelIsFollowedToItsMaster() {
        try (RedisSentinels sentinels = RedisSentinels.startWithoutFailover()) {
            String sentinel = sentinels.sentinels().get(0).uri();
            for (String uri : List.of(sentinel, Topologies.uri(sentinels))) {
                ProgramRun ended = doctor(uri);
                assertThat(ended.code()).as(ended.toString()).isZero();
                assertThat(ended.lines().get(0))
                        .isEqualTo("127.0.0.1:" + sentinels.master().port());
                assertThat(ended.lines())
                        .contains("  ok       role         master 'stampede' of a Sentinel, replicas: 2");
            }
            assertThat(Commands.on(sentinel, "invalidate", "products:1").lines())
                    .containsExactly("invalidated 'products:1'; before, its entry was absent and its lease free");
        }
    }

    @Test
    void masterOfASentinelWithoutAReplica() {
        try (RedisProcess master = RedisServer.startProcess();
                RedisProcess other = RedisServer.startProcess();
                RedisProcess sentinel = RedisServer.startProcess("--sentinel");
                Jedis admin = PlainRedis.admin(sentinel.host(), sentinel.port())) {
            admin.sentinelMonitor("one", master.host(), master.port(), 1);
            ProgramRun ended = doctor(sentinel.uri());
            assertThat(ended.code()).isEqualTo(1);
            assertThat(ended.lines())
                    .contains(
                            "  advice   role         master 'one' of a Sentinel, replicas: 0: nothing can take over if it"
                                    + " fails; add a replica",
                            "advice: 1");

            admin.sentinelMonitor("two", other.host(), other.port(), 1);
            ProgramRun two = doctor(sentinel.uri());
            assertThat(two.code()).isEqualTo(1);
            assertThat(two.lines()).isEmpty();
            assertThat(two.errors())
                    .contains("the Sentinel at 127.0.0.1:%d knows 2 masters, so name one: ".formatted(sentinel.port()))
                    .contains(named(sentinel, "one"), named(sentinel, "two"));
            assertThat(doctor(named(sentinel, "two")).lines()).first().isEqualTo("127.0.0.1:" + other.port());
        }
    }

    private static String named(RedisProcess sentinel, String master) {
        return "redis-sentinel://127.0.0.1:" + sentinel.port() + "/" + master;
    }

    @Test
    @Tag("proof")
    void eachMasterOfAClusterIsChecked() {
        try (RedisCluster cluster = RedisCluster.startWithoutFailover()) {
            String uri = cluster.nodes().get(5).uri();
            assertThat(doctor(Topologies.uri(cluster)).lines()).hasSize(3 * 8 + 3 + 1);
            ProgramRun ended = doctor(uri);
            assertThat(ended.code()).as(ended.toString()).isZero();
            assertThat(ended.lines())
                    .hasSize(3 * 8 + 3 + 1)
                    .contains("cluster", "  ok       members      all answer", "advice: 0")
                    .filteredOn(line -> line.equals("  ok       role         master, replicas: 1"))
                    .hasSize(3);

            cluster.nodes().get(0).kill();
            Fleet.until(() ->
                    doctor(uri).lines().contains("  advice   members      some do not answer: restart or remove them"));
        }
    }
}
