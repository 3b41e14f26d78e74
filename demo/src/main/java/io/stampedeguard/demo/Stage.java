package io.stampedeguard.demo;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.demo.member.MemberMain;
import io.stampedeguard.demo.origin.Catalogue;
import io.stampedeguard.demo.origin.DatabaseAddress;
import io.stampedeguard.demo.origin.EmbeddedDatabase;
import io.stampedeguard.demo.origin.QueryTime;
import io.stampedeguard.demo.scenario.Plan;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.ShutdownHooks;
import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testbed.fleet.Message;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The servers and processes of a run: Redis, the database with its catalogue, and the fleet. They are closed in reverse
 * order, also if the start fails half-way or the JVM is interrupted.
 */
final class Stage implements AutoCloseable {
    private static final Duration CONNECTED_WITHIN = Duration.ofSeconds(60);

    private static final int CONNECTIONS_OF_THE_DOOMED = 4;

    private static final MemberCommand MEMBER = MemberCommand.small(MemberMain.class, 256);

    private final Deque<AutoCloseable> begun = new ArrayDeque<>();
    private final Thread hook = new Thread(this::end, "end-demo");
    private @Nullable Fleet fleet;
    private final Deque<FleetMember> doomed = new ArrayDeque<>();
    private @Nullable Keyspace keyspace;
    private double queryMillis;

    private Stage() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Starts everything. {@code runId} separates this run's keys and tables from all others, and {@code crashes} is the number of
     * additional processes that will be killed.
     */
    static Stage start(Plan plan, int crashes, @Nullable DatabaseAddress given, String runId) throws Exception {
        Stage stage = new Stage();
        try {
            stage.begin(plan, crashes, given, runId);
            return stage;
        } catch (Throwable e) {
            stage.close();
            throw e;
        }
    }

    Fleet fleet() {
        return requireNonNull(fleet);
    }

    /** Returns an additional process, which is idle until it gets a message. */
    FleetMember doomed() {
        return doomed.remove();
    }

    Keyspace keyspace() {
        return requireNonNull(keyspace);
    }

    /** Returns how long {@link io.stampedeguard.demo.origin.ProductRead#SALES} took without other load. */
    double queryMillis() {
        return queryMillis;
    }

    private void begin(Plan plan, int crashes, @Nullable DatabaseAddress given, String runId) throws Exception {
        RedisServer redis = closedAtTheEnd(RedisServer.start());
        keyspace = closedAtTheEnd(Keyspace.open(redis, "stampede-demo-" + runId + ":"));
        String tables = "stampede_" + runId + "_";
        Fleet members = closedAtTheEnd(Fleet.begin(plan.processes(), MEMBER));
        fleet = members;
        Fleet more = closedAtTheEnd(Fleet.begin(crashes, MEMBER));
        DatabaseAddress database =
                given == null ? closedAtTheEnd(EmbeddedDatabase.start()).address() : given;
        Catalogue catalogue = closedAtTheEnd(new Catalogue(database, tables, plan.orderLines()));
        refusingInOneLine(catalogue::create);
        members.awaitStart();
        more.awaitStart();
        Message connect = Message.of("connect")
                .with(database)
                .with("redis", redis.uri())
                .with("prefix", keyspace.prefix())
                .with("tables", tables)
                .with("callers", plan.callers());
        members.members().forEach(member -> member.send(connect.with("index", member.index())));
        more.send(connect.with("index", plan.processes()).with("callers", CONNECTIONS_OF_THE_DOOMED));
        refusingInOneLine(() -> catalogue.fill(plan.seed())); // while they connect, which keeps the other core busy
        members.collect("connected", CONNECTED_WITHIN);
        more.collect("connected", CONNECTED_WITHIN);
        doomed.addAll(more.members());
        queryMillis = QueryTime.millis(database, tables);
    }

    private interface Statements {
        void run() throws SQLException;
    }

    private static void refusingInOneLine(Statements statements) {
        try {
            statements.run();
        } catch (SQLException e) {
            throw new IllegalStateException("the database reports an error: " + e.getMessage(), e);
        }
    }

    private <T extends AutoCloseable> T closedAtTheEnd(T part) {
        synchronized (begun) {
            begun.push(part);
        }
        return part;
    }

    @Override
    public void close() {
        end();
        ShutdownHooks.remove(hook);
    }

    private void end() {
        synchronized (begun) {
            while (!begun.isEmpty()) {
                try {
                    begun.pop().close();
                } catch (Exception alreadyGone) {
                    // During shutdown, a server that no longer answers needs no cleanup.
                }
            }
        }
    }
}
