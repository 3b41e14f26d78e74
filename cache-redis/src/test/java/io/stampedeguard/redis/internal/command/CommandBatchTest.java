package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.SharedCluster;
import io.stampedeguard.redis.Topologies;
import io.stampedeguard.redis.internal.cluster.Cluster;
import io.stampedeguard.redis.internal.command.CommandBatch.BatchedCommand;
import io.stampedeguard.redis.internal.command.KeyedCommand.PlainCommand;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.Breakers;
import io.stampedeguard.redis.internal.connect.ClientConnections;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.pipeline.Pipelines;
import io.stampedeguard.time.TimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** What is sent to a cluster again, by the failures of the first pipelines. The next one has an answer. */
@ResourceLock(value = SharedCluster.LOCK, mode = ResourceAccessMode.READ)
class CommandBatchTest {
    private static final JedisConnectionException GARBAGE = new JedisConnectionException("Unknown reply: \u0001");
    private static final JedisConnectionException REFUSED =
            new JedisConnectionException("Failed to connect", new ConnectException("Connection refused"));

    private static final JedisConnectionException BROKEN = new JedisConnectionException("Unexpected end of stream.");

    private static Turn turn() {
        return Turn.of(Duration.ofMinutes(1));
    }

    /** Returns how many pipelines a command takes. */
    private static int pipelines(Turn turn, JedisConnectionException... failures) {
        TimeSource time = TimeSource.system();
        try (RedisClusterClient client = Topologies.client(SharedCluster.get())) {
            Cluster cluster = new Cluster(
                    client,
                    requireNonNull(ClientConnections.of(client).cluster()),
                    new Breakers(
                            Duration.ofMinutes(1),
                            key -> null,
                            new BackgroundThreads("command-batch-test", time),
                            time),
                    time);
            Failing pipelines = new Failing(cluster, List.of(failures), new ArrayList<>());
            turn.begin(time);
            new CommandBatch(client, pipelines, turn, () -> {}, time)
                    .send(List.of(new BatchedCommand(PlainCommand.value(new byte[] {'k'}))));
            return pipelines.sent.size();
        }
    }

    private record Failing(Cluster cluster, List<JedisConnectionException> failures, List<List<CommandArguments>> sent)
            implements Pipelines {
        @Override
        public List<Reply> send(List<CommandArguments> commands) {
            Reply reply = sent.size() < failures.size() ? Reply.failed(failures.get(sent.size())) : Reply.of("answer");
            sent.add(commands);
            return Collections.nCopies(commands.size(), reply);
        }
    }

    @Test
    void unrepeatableRequestIsSentAgainOnlyIfItHadNoConnection() {
        assertThat(pipelines(turn().once(), GARBAGE)).isEqualTo(1);
        assertThat(pipelines(turn().once(), REFUSED)).isEqualTo(2);
    }

    @Test
    void repeatableRequestIsSentAgainEvenAfterAnUnreadableAnswer() {
        assertThat(pipelines(turn(), GARBAGE)).isEqualTo(2);
        assertThat(pipelines(turn(), REFUSED)).isEqualTo(2);
    }

    @Test
    void noRequestMayArriveThreeTimes() {
        assertThat(pipelines(turn(), BROKEN, GARBAGE)).isEqualTo(2);
        assertThat(pipelines(turn(), BROKEN, REFUSED)).isEqualTo(3);
    }
}
