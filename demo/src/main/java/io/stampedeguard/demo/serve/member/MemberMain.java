package io.stampedeguard.demo.serve.member;

import io.stampedeguard.demo.origin.DatabaseAddress;
import io.stampedeguard.demo.origin.Origin;
import io.stampedeguard.demo.serve.figures.Counts;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;

/**
 * A process of one of the two fleets. Told where Redis and the database are, it connects, is told then how things stand,
 * asks for products until it is killed, reports what comes of it, and does what the page's buttons want.
 */
public final class MemberMain {
    public static final String CONNECTED = "connected";

    /** Said over and over while there is no Redis, as who says nothing is taken for dead. */
    public static final String WAITING = "waiting";

    private MemberMain() {}

    /** Runs until the parent is gone. */
    public static void main(String[] arguments) throws Exception {
        FleetLink link = FleetLink.open();
        Message connect = link.receive();
        DatabaseAddress database =
                new DatabaseAddress(connect.text("jdbcUrl"), connect.text("jdbcUser"), connect.text("jdbcPassword"));
        try (Origin origin = new Origin(database, connect.text("tables"))) {
            Counts counts = new Counts();
            SlowableOrigin load = new SlowableOrigin(origin, counts);
            try (MemberCache cache = MemberCache.open(connect, load, () -> link.tell(Message.of(WAITING)))) {
                InFlight inFlight = new InFlight(Load.CALLERS + Load.ATTACKERS);
                Reporter reporter = new Reporter(link, counts, new SparedLoads(cache.meters()), inFlight);
                Callers callers = new Callers(cache.products(), counts, inFlight, reporter);
                Orders orders = new Orders(link, cache, load, callers, origin);
                link.tell(Message.of(CONNECTED));
                orders.obeyInBackground();
                reporter.run();
            }
        }
    }
}
