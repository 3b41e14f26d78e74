package io.stampedeguard.demo.serve.member;

import io.stampedeguard.demo.origin.DatabaseAddress;
import io.stampedeguard.demo.origin.Origin;
import io.stampedeguard.demo.serve.figures.Counts;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;

/**
 * A process of one of the two fleets. It receives the addresses of Redis and the database, connects, and then receives the
 * current state. It requests products until it is killed, reports the results, and executes the actions of the page's buttons.
 */
public final class MemberMain {
    public static final String CONNECTED = "connected";

    /** Sent repeatedly while there is no Redis, since a silent process is considered dead. */
    public static final String WAITING = "waiting";

    private MemberMain() {}

    public static void main(String[] arguments) throws Exception {
        FleetLink link = FleetLink.open();
        Message connect = link.receive();
        try (Origin origin = new Origin(connect.read(DatabaseAddress.class), connect.text("tables"))) {
            Counts counts = new Counts();
            SlowableOrigin load =
                    new SlowableOrigin(origin, counts, () -> link.send(counts.moveInto(Message.of(Orders.LOADS_HOT))));
            try (MemberCache cache = MemberCache.open(connect, load, () -> link.send(Message.of(WAITING)))) {
                InFlight inFlight = new InFlight(Load.CALLERS + Load.ATTACKERS);
                Reporter reporter =
                        new Reporter(link, counts, new SparedLoads(cache.meters()), inFlight, origin::running);
                Callers callers = new Callers(cache.products(), counts, inFlight, reporter);
                Orders orders = new Orders(link, cache, load, callers, origin);
                link.send(Message.of(CONNECTED));
                orders.obeyInBackground();
                reporter.run();
            }
        }
    }
}
