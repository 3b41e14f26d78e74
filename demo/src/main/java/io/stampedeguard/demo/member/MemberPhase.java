package io.stampedeguard.demo.member;

import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.measure.QueryLog;
import io.stampedeguard.demo.product.ProductCache;
import io.stampedeguard.demo.scenario.PhaseWatch;
import io.stampedeguard.demo.scenario.Plan;
import io.stampedeguard.demo.scenario.Scenario;
import io.stampedeguard.demo.scenario.Share;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import java.util.concurrent.atomic.AtomicBoolean;

/** One process' part in one scenario in one mode. */
final class MemberPhase {
    private static final long PROGRESS_MILLIS = 100;

    private final FleetLink link;
    private final MemberConnections connections;
    private final Scenario scenario;
    private final Mode mode;
    private final Plan plan;
    private final Answers answers;
    private final AtomicBoolean outageLasts;
    private QueryLog queries = new QueryLog();

    MemberPhase(FleetLink link, MemberConnections connections, Scenario scenario, Mode mode, Plan plan) {
        this.link = link;
        this.connections = connections;
        this.scenario = scenario;
        this.mode = mode;
        this.plan = plan;
        this.answers = new Answers(scenario.stopsRedis());
        this.outageLasts = new AtomicBoolean(scenario.stopsRedis());
    }

    void run() throws Exception {
        Message done;
        try (ProductCache products =
                connections.cache(mode, scenario.name() + "-" + mode, scenario.policy(plan), read(), answers)) {
            done = measure(products);
        }
        // The cache is closed, so no new reload begins; the last ones count, too.
        connections.origin().awaitIdle();
        link.send(done.with("queries", queries.encode()).with("queriesForNothing", answers.queriesForNothing()));
    }

    private MemberConnections.Read read() {
        return new MemberConnections.Read(
                scenario.read(), scenario.work(plan, connections.index()), scenario::productFor);
    }

    private Message measure(ProductCache products) throws Exception {
        Share share = new Share(
                plan,
                mode,
                connections.index(),
                products,
                connections.origin(),
                connections.news(plan.processes()),
                outageLasts::get);
        PhaseWatch watch = scenario.watch(share);
        Callers callers = new Callers(plan.callers(), scenario.script(share), products, watch, answers);
        link.send(Message.of("prepared"));

        link.receive();
        scenario.fill(share);
        connections.origin().awaitIdle();
        queries = connections.origin().startLog();
        link.send(Message.of("filled"));

        long released = link.receiveRelease();
        watch.released(released);
        callers.releaseAt(released);
        if (scenario.stopsRedis()) {
            link.receive(); // Redis runs again, which may be late
            outageLasts.set(false);
        }
        reportUntilTheEndOf(callers);
        Message done = Message.of("done")
                .with("latencies", callers.latencies().encode())
                .with("firstAnswer", callers.firstAnswerMicros())
                .with("lastAnswer", callers.lastAnswerMicros())
                .with("waited", answers.waited())
                .with("stale", answers.stale())
                .with("errors", answers.errors())
                .with("firstError", answers.firstError());
        return watch.ended(done);
    }

    private void reportUntilTheEndOf(Callers callers) throws InterruptedException {
        while (!callers.awaitEnd(PROGRESS_MILLIS)) {
            link.send(Message.of("progress")
                    .with("gets", callers.latencies().count())
                    .with("loading", connections.origin().running()));
        }
    }
}
