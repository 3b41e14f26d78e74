package io.stampedeguard.benchmarks.crew;

import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;

/**
 * A process of the crew. Told where Redis is, it takes part in one round after another: {@code ask}, {@code hit},
 * {@code walk} or {@code remove} – {@code ready}, as often as wished; {@code go} – {@code answers} or {@code removed}, one for
 * each. Before, between and after that: {@code know} – {@code ready}; {@code count} – {@code ready}, {@code counted}.
 */
final class MemberMain {
    private MemberMain() {}

    /** Runs until the parent is gone. */
    public static void main(String[] arguments) throws Exception {
        FleetLink link = FleetLink.open();
        Member member = new Member(link, link.receive());
        link.tell(Message.of("opened"));
        while (true) {
            member.take(link.receive());
        }
    }
}
