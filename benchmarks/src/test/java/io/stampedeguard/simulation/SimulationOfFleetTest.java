package io.stampedeguard.simulation;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.stampedeguard.benchmarks.crew.Answers;
import io.stampedeguard.benchmarks.crew.Ask;
import io.stampedeguard.benchmarks.crew.Crew;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.crew.Row;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.measure.Figures;
import io.stampedeguard.testbed.measure.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.RedisClient;

/**
 * The simulation agrees with 8 real processes on a real Redis: in loads, and within 20 % in the commands, for a hot key besides
 * the reads, of which there are as many as calls.
 */
@Tag("proof")
final class SimulationOfFleetTest {
    private static final int PROCESSES = 8;
    private static final int ROUNDS = 5;
    private static final int SEEDS = 20;
    private static final int PERCENT = 20;
    private static final Duration ROUND_TRIP = Duration.ofNanos(300_000);

    private final RedisProcess redis = RedisServer.startProcess();
    private final RedisClient observer = PlainRedis.connectPatiently(redis.uri(), 1);
    private Crew crew;

    @BeforeEach
    void start() throws InterruptedException {
        crew = Crew.start(PROCESSES, redis.uri(), Crew.Purpose.TRIED);
    }

    @AfterEach
    void end() {
        crew.close();
        observer.close();
        redis.close();
    }

    /** What happened in a fleet; the reads are those of callers, and the commands include those inside scripts. */
    private record Counts(long loads, long reads, long commands) {
        static final Counts NONE = new Counts(0, 0, 0);

        Counts plus(Counts other) {
            return new Counts(loads + other.loads, reads + other.reads, commands + other.commands);
        }

        double perLoad() {
            return (double) commands / loads;
        }

        double besidesReadsPerLoad() {
            return (double) (commands - reads) / loads;
        }
    }

    /** The load is long, so that a busy machine delays no caller until it is over. */
    @ParameterizedTest
    @ValueSource(ints = {1, 16})
    void coldKeysOfAFleetCostWhatIsSimulated(int callers) throws Exception {
        Duration load = Duration.ofSeconds(1);
        Counts simulated = simulate(seed ->
                new Setting(Scenario.COLD, PROCESSES, 1, callers, 1, Duration.ofSeconds(2), load, ROUND_TRIP, seed));

        real(Ask.once(callers, "first", Row.taking(load)), PeerOptions.usual()); // opens connections
        Counts real = Counts.NONE;
        for (int round = 0; round < ROUNDS; round++) {
            real = real.plus(real(Ask.once(callers, "cold-" + round, Row.taking(load)), PeerOptions.usual()));
        }

        agree("cold, %d callers".formatted(callers), simulated, real, Counts::perLoad);
        assertThat(simulated.loads()).isEqualTo(ROUNDS * SEEDS);
        assertThat(real.loads()).isEqualTo(ROUNDS);
    }

    /** Each process reads several times during each load, however the reads are distributed. */
    @Test
    void aHotKeyOfAFleetCostsWhatIsSimulated() throws Exception {
        Duration ttl = Duration.ofSeconds(1);
        Duration load = Duration.ofMillis(100);
        int readsPerSecond = 100;
        Counts simulated = simulate(
                seed -> new Setting(Scenario.EXPIRY, PROCESSES, 1, 1, readsPerSecond, ttl, load, ROUND_TRIP, seed));

        Ask once = Ask.once(1, "hot", Row.taking(load));
        real(once, PeerOptions.ttl(ttl));
        Counts real = real(
                once.repeating(Duration.ofSeconds(15), Duration.ofSeconds(1).dividedBy(readsPerSecond)),
                PeerOptions.ttl(ttl));

        agree("expiry", simulated, real, Counts::besidesReadsPerLoad);
    }

    private static void agree(String what, Counts simulated, Counts real, ToDoubleFunction<Counts> cost) {
        String counts = "%s: simulated %s, real %s".formatted(what, simulated, real);
        System.out.println(counts);
        assertThat(cost.applyAsDouble(simulated))
                .as(counts)
                .isCloseTo(cost.applyAsDouble(real), withinPercentage(PERCENT));
    }

    /** Simulates some seeds, as the durations of loads are random. */
    private static Counts simulate(LongFunction<Setting> settings) {
        return LongStream.rangeClosed(1, SEEDS)
                .mapToObj(seed -> SimulatedFleet.run(settings.apply(seed)))
                .map(figures ->
                        new Counts(figure(figures, "loads"), figure(figures, "reads"), figure(figures, "commands")))
                .reduce(Counts.NONE, Counts::plus);
    }

    private static long figure(Figures figures, String name) {
        return requireNonNull(figures.values().get(name)).longValue();
    }

    /** Lets all processes ask the same at one instant; reads are sent singly, as the simulated ones are. */
    private Counts real(Ask ask, PeerOptions options) throws InterruptedException {
        Round round = new Round(Peers.named("guarded"), options.readingSingly());
        List<Integer> tickets = new ArrayList<>();
        for (FleetMember member : crew.members(PROCESSES)) {
            tickets.add(round.begin(member, ask));
        }
        RedisCommands before = commands();
        round.release();
        Answers answers = round.answers(tickets);
        assertThat(answers.failures()).isZero();
        return new Counts(
                answers.loads(), answers.latencies().count(), commands().workSince(before));
    }

    private RedisCommands commands() {
        return RedisCommands.parse(observer.info("commandstats"));
    }
}
