package io.stampedeguard.benchmarks.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.stampedeguard.benchmarks.crew.Answers;
import io.stampedeguard.benchmarks.crew.Ask;
import io.stampedeguard.benchmarks.crew.Crew;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Row;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.result.Figures;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.measure.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** The simulation agrees with 8 real processes on a real Redis: in loads, and within 20 % in commands. */
@Tag("proof")
final class SimulationOfFleetTest {
    private static final int PROCESSES = 8;
    private static final int ROUNDS = 5;
    private static final int PERCENT = 20;

    /** Long, so that a busy machine delays no caller until the load is over. */
    private static final Duration LOAD = Duration.ofSeconds(1);

    @Test
    void coldKeysOfAFleetCostWhatIsSimulated() throws Exception {
        for (int callers : new int[] {1, 16}) {
            Figures simulated = SimulatedFleet.run(new Setting(
                    Scenario.COLD,
                    PROCESSES,
                    1,
                    callers,
                    1,
                    Duration.ofSeconds(2),
                    LOAD,
                    Duration.ofNanos(300_000),
                    1));
            long[] real = coldKeys(callers);

            assertThat(simulated.values().get("loads").longValue()).isEqualTo(ROUNDS);
            assertThat(real[0]).isEqualTo(ROUNDS);
            assertThat(simulated.values().get("commands").longValue()).isCloseTo(real[1], withinPercentage(PERCENT));
        }
    }

    /** Returns the loads and the commands of all rounds but the first, which opens connections. */
    private static long[] coldKeys(int callers) throws InterruptedException {
        PeerKind guarded = Peers.ALL.stream()
                .filter(peer -> peer.name().equals("guarded"))
                .findFirst()
                .orElseThrow();
        long[] sums = new long[2];
        try (RedisProcess redis = RedisServer.startProcess();
                RedisClient observer = PlainRedis.connect(redis.uri(), 1);
                Crew crew = Crew.start(PROCESSES, redis.uri())) {
            for (int round = 0; round <= ROUNDS; round++) {
                Round work = new Round(guarded);
                List<Integer> tickets = new ArrayList<>();
                for (FleetMember member : crew.members(PROCESSES)) {
                    tickets.add(work.ask(member, Ask.once(callers, "cold-" + round, Row.taking(LOAD))));
                }
                RedisCommands before = RedisCommands.parse(observer.info("commandstats"));
                work.release();
                Answers answers = work.answers(tickets);
                if (round > 0) {
                    sums[0] += answers.loads();
                    sums[1] +=
                            RedisCommands.parse(observer.info("commandstats")).workSince(before);
                }
            }
        }
        return sums;
    }
}
