package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.topology.RedisSentinels;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.Origin;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisSentinelClient;

/** The master is killed, and Sentinels make a replica the master. */
@Tag("proof")
class SentinelFailoverTest {
    private static final int ROWS = 60;

    private final RedisSentinels sentinels = RedisSentinels.start();
    private final RedisSentinelClient client = Topologies.client(sentinels);
    private final RedisSentinelClient otherClient = Topologies.client(sentinels);
    private final TrafficMember one = new TrafficMember(client);
    private final TrafficMember other = new TrafficMember(otherClient);

    @AfterEach
    void stop() {
        one.close();
        other.close();
        sentinels.close();
    }

    @Test
    void aGetWhoseLoadEndsWhileThereIsNoMasterAnswers() throws Exception {
        Origin origin = new Origin("one");
        try (Callers callers = new Callers()) {
            List<Callers.Call<String>> calls = beginLoad(origin, callers);
            sentinels.master().kill();
            origin.open();
            assertThat(Callers.results(calls)).containsOnly("one");
        }
    }

    @Test
    void aGetWhoseLoadEndsUnderTheNextMasterAnswers() throws Exception {
        Origin origin = new Origin("one");
        try (Callers callers = new Callers()) {
            List<Callers.Call<String>> calls = beginLoad(origin, callers);
            killMasterAndAwaitTheNext();
            origin.open();
            assertThat(Callers.results(calls)).containsOnly("one");
            one.awaitStore();
            one.cache().get("k", origin::read);
            int reads = origin.reads();
            assertThat(one.cache().get("k", origin::read)).isEqualTo("one");
            assertThat(origin.reads()).as("stored by the next master").isEqualTo(reads);
        }
    }

    /** The dead master had all keys, so it is unknown which invalidations its replica has received. */
    @Test
    void noAnswerIsWrongAndNoGetThrowsWhileTheMasterDies() throws Exception {
        VersionedRows rows = new VersionedRows(ROWS);
        try (Traffic traffic = new Traffic(List.of(one, other), rows, row -> true)) {
            traffic.awaitMore();
            killMasterAndAwaitTheNext();
            traffic.awaitMore();
            traffic.end();
        }
        TrafficMember.assertWholeAgain(one, other, rows);
    }

    /** Callers of one key, whose load has its lease and is held up. */
    private List<Callers.Call<String>> beginLoad(Origin origin, Callers callers) throws Exception {
        origin.close();
        List<Callers.Call<String>> calls = callers.call(16, () -> one.cache().get("k", origin::read));
        Fleet.until(() -> origin.running() == 1);
        return calls;
    }

    private void killMasterAndAwaitTheNext() {
        RedisProcess former = sentinels.master();
        former.kill();
        sentinels.awaitFailoverFrom(former);
        RedisProcess master = sentinels.master();
        HostAndPort address = new HostAndPort(master.host(), master.port());
        Fleet.until(() -> client.getCurrentMaster().equals(address)
                && otherClient.getCurrentMaster().equals(address));
    }
}
