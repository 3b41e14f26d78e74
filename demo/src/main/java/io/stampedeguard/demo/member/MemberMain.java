package io.stampedeguard.demo.member;

import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.scenario.Plan;
import io.stampedeguard.demo.scenario.Scenario;
import io.stampedeguard.demo.scenario.Scenarios;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;

/**
 * A process of the fleet. It receives the addresses of Redis and the database, and then takes part in one phase after
 * another: {@code prepare} – {@code prepared}, {@code fill} – {@code filled}, release – {@code done}. If
 * the scenario stops Redis, {@code restarted} follows the release.
 */
public final class MemberMain {
    private MemberMain() {}

    /** Runs until the parent process ends. */
    public static void main(String[] arguments) throws Exception {
        FleetLink link = FleetLink.open();
        try (MemberConnections connections = MemberConnections.open(link.receive())) {
            link.send(Message.of("connected"));
            WarmUp warmUp = new WarmUp(connections);
            while (true) {
                Message prepare = link.receive();
                Scenario scenario = Scenarios.named(prepare.text("scenario"));
                Mode mode = Mode.valueOf(prepare.text("mode"));
                Plan plan = prepare.read(Plan.class);
                warmUp.run(mode, plan.callers());
                if (scenario.stopsRedis()) {
                    MemberConnections elsewhere = connections.elsewhere(prepare);
                    new MemberPhase(link, elsewhere, scenario, mode, plan).run();
                    elsewhere.closeRedis();
                } else {
                    new MemberPhase(link, connections, scenario, mode, plan).run();
                }
            }
        }
    }
}
