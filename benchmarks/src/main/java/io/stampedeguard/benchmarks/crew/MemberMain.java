package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;

/**
 * A process of the crew. It receives the URI of Redis, and then takes part in one round after another: {@code ask},
 * {@code hit}, {@code walk}, or {@code remove} – {@code ready}, any number of times; {@code go} – {@code answers} or
 * {@code removed}, one for each. Before, between, and after that: {@code know} – {@code ready}; {@code count} – {@code
 * ready}, {@code counted}.
 */
final class MemberMain {
    private MemberMain() {}

    /** Runs until the parent process ends. */
    public static void main(String[] arguments) throws Exception {
        FleetLink link = FleetLink.open();
        Member member = new Member(link, link.receive());
        link.tell(Message.of("opened"));
        while (true) {
            member.take(link.receive());
        }
    }
}
