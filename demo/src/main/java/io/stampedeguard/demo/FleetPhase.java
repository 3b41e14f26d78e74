package io.stampedeguard.demo;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.measure.QueryLog;
import io.stampedeguard.demo.scenario.AttackWatch;
import io.stampedeguard.demo.scenario.OutageScenario;
import io.stampedeguard.demo.scenario.OutageWatch;
import io.stampedeguard.demo.scenario.Plan;
import io.stampedeguard.demo.scenario.Scenario;
import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import io.stampedeguard.testbed.measure.RedisCommands;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** One scenario in one mode with the whole fleet: the parent's side of {@link MemberPhase}. */
final class FleetPhase {
    private static final Duration READY_WITHIN = Duration.ofMinutes(2);
    private static final double MICROS_PER_MILLI = 1_000;
    private static final Duration AT_MOST = Duration.ofHours(2);

    private final Stage stage;
    private final Scenario scenario;
    private final Mode mode;
    private final Plan plan;
    private final @Nullable Crash crash;
    private final Map<FleetMember, Long> gets = new HashMap<>();

    FleetPhase(Stage stage, Scenario scenario, Mode mode, Plan plan) {
        this.stage = stage;
        this.scenario = scenario;
        this.mode = mode;
        this.plan = plan;
        this.crash = scenario.crashes() ? new Crash(stage.doomed(), scenario.work(plan, 0)) : null;
    }

    /** Runs the phase; {@code getsSoFar} periodically receives the number of gets. */
    Figures run(LongConsumer getsSoFar) throws InterruptedException {
        if (!scenario.stopsRedis()) {
            return run(getsSoFar, null);
        }
        try (Outage outage = new Outage(plan)) {
            return run(getsSoFar, outage);
        }
    }

    private Figures run(LongConsumer getsSoFar, @Nullable Outage outage) throws InterruptedException {
        Fleet fleet = stage.fleet();
        Keyspace keyspace = stage.keyspace();
        makeReady(fleet, outage == null ? "" : outage.uri());
        RedisCommands before = keyspace.commands();
        long released = release(fleet, outage);
        List<Message> done = fleet.collect("done", AT_MOST, (member, message) -> {
            gets.put(member, message.number("gets"));
            getsSoFar.accept(gets.values().stream().mapToLong(Long::longValue).sum());
        });
        long commands = outage == null ? keyspace.commands().workSince(before) : outage.commands();
        Figures.Attack attack =
                scenario.attacks() ? AttackWatch.sum(done, keyspace.count(AttackWatch::isNonexistentEntry)) : null;
        keyspace.clear();
        return figures(done, released, commands, attack);
    }

    private long release(Fleet fleet, @Nullable Outage outage) throws InterruptedException {
        if (outage != null) {
            return outage.run(fleet);
        }
        return crash == null ? fleet.release() : crash.run(fleet);
    }

    private void makeReady(Fleet fleet, String redis) throws InterruptedException {
        Message prepare = Message.of("prepare")
                .with(plan)
                .with("scenario", scenario.name())
                .with("mode", mode.name())
                .with("redis", redis);
        fleet.send(prepare);
        if (crash != null) {
            crash.begin(prepare);
            crash.awaitReady();
        }
        fleet.collect("prepared", READY_WITHIN);
        fleet.send(Message.of("fill"));
        fleet.collect("filled", READY_WITHIN);
    }

    private Figures figures(List<Message> done, long released, long commands, Figures.@Nullable Attack attack) {
        Latencies latencies = new Latencies();
        QueryLog queries = new QueryLog();
        for (Message message : done) {
            latencies.addAll(message.text("latencies"));
            queries.addAll(message.text("queries"));
            if (!message.text("firstError").isEmpty()) {
                System.err.println("the first error of a process: " + message.text("firstError"));
            }
        }
        if (crash != null) {
            queries.add(crash.beganMicros(), crash.beganMicros(), crash.beganMicros());
        }
        return new Figures(
                scenario.name(),
                mode,
                plan.processes(),
                plan.callers(),
                released,
                latencies,
                queries,
                commands,
                AttackWatch.sum("waited", done),
                AttackWatch.sum("stale", done),
                AttackWatch.sum("errors", done),
                crash == null ? null : aftermath(done, crash.killedMicros()),
                attack,
                scenario.stopsRedis() ? OutageWatch.sum(done, OutageScenario.seconds(plan)) : List.of());
    }

    private static Figures.Aftermath aftermath(List<Message> done, long killed) {
        LongStream first = done.stream().mapToLong(message -> message.number("firstAnswer"));
        LongStream last = done.stream().mapToLong(message -> message.number("lastAnswer"));
        return new Figures.Aftermath(
                (first.min().orElse(killed) - killed) / MICROS_PER_MILLI,
                (last.max().orElse(killed) - killed) / MICROS_PER_MILLI);
    }
}
