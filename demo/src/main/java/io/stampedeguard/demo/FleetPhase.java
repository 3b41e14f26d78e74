package io.stampedeguard.demo;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.measure.QueryLog;
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

/** One scenario in one mode with the whole fleet: the other side of {@link MemberPhase}. */
final class FleetPhase {
    private static final Duration READY_WITHIN = Duration.ofMinutes(2);
    private static final Duration AT_MOST = Duration.ofHours(2);

    private final Stage stage;
    private final Scenario scenario;
    private final Mode mode;
    private final Plan plan;
    private final Map<FleetMember, Long> gets = new HashMap<>();

    FleetPhase(Stage stage, Scenario scenario, Mode mode, Plan plan) {
        this.stage = stage;
        this.scenario = scenario;
        this.mode = mode;
        this.plan = plan;
    }

    /** Runs it; {@code getsSoFar} is told now and then. */
    Figures run(LongConsumer getsSoFar) throws InterruptedException {
        Fleet fleet = stage.fleet();
        Keyspace keyspace = stage.keyspace();
        fleet.tell(
                plan.in(Message.of("prepare").with("scenario", scenario.name()).with("mode", mode.name())));
        fleet.collect("prepared", READY_WITHIN);
        fleet.tell(Message.of("fill"));
        fleet.collect("filled", READY_WITHIN);

        RedisCommands before = keyspace.commands();
        long released = fleet.release();
        List<Message> done = fleet.collect("done", AT_MOST, (member, message) -> {
            gets.put(member, message.number("gets"));
            getsSoFar.accept(gets.values().stream().mapToLong(Long::longValue).sum());
        });
        long commands = keyspace.commands().workSince(before);
        keyspace.clear();
        return figures(done, released, commands);
    }

    private Figures figures(List<Message> done, long released, long commands) {
        Latencies latencies = new Latencies();
        QueryLog queries = new QueryLog();
        long errors = 0;
        for (Message message : done) {
            latencies.addAll(message.text("latencies"));
            queries.addAll(message.text("queries"));
            errors += message.number("errors");
            if (!message.text("firstError").isEmpty()) {
                System.err.println("the first error of a process: " + message.text("firstError"));
            }
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
                errors);
    }
}
