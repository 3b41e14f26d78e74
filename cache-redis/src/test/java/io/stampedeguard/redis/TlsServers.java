package io.stampedeguard.redis;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Jedis;

/** Servers that use TLS themselves, with a port without TLS for the tests, and the user {@code shop}. */
final class TlsServers {
    private TlsServers() {}

    static RedisProcess start(Certificate certificate, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--tls-port",
                RedisProcess.FREE_PORT,
                "--tls-cert-file",
                certificate.certificateFile().toString(),
                "--tls-key-file",
                certificate.keyFile().toString(),
                "--tls-ca-cert-file",
                certificate.certificateFile().toString(),
                "--tls-auth-clients",
                "no",
                "--user",
                "shop",
                "on",
                ">geheim",
                "~*",
                "&*",
                "+@all"));
        arguments.addAll(List.of(more));
        return RedisServer.startProcess(arguments.toArray(String[]::new));
    }

    /** Starts the only member of a cluster, which requires certificates of its clients. */
    static RedisProcess startCluster(Certificate certificate) {
        RedisProcess member = start(
                certificate,
                "--tls-auth-clients",
                "yes",
                "--tls-cluster",
                "yes",
                "--cluster-enabled",
                "yes",
                "--cluster-port",
                RedisProcess.FREE_PORT,
                "--cluster-announce-ip",
                "127.0.0.1");
        Topologies.ask(member, admin -> admin.clusterAddSlotsRange(0, 16_383));
        Fleet.until(() -> Topologies.ask(member, Jedis::clusterInfo).contains("cluster_state:ok"));
        return member;
    }

    /** Starts a Sentinel that names the TLS port of a master. */
    static RedisProcess startSentinel(Certificate certificate, RedisProcess master, String name) {
        RedisProcess sentinel = start(certificate, "--sentinel");
        Topologies.ask(sentinel, admin -> admin.sentinelMonitor(name, master.host(), master.portOf("--tls-port"), 1));
        return sentinel;
    }

    static String uri(String scheme, RedisProcess server) {
        return scheme + "://shop:geheim@" + address(server);
    }

    static String address(RedisProcess server) {
        return "127.0.0.1:" + server.portOf("--tls-port");
    }
}
