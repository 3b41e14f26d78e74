package io.stampedeguard.demo.origin;

import io.stampedeguard.testbed.fleet.Fleet;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;

/**
 * The demo's own database, in a process with low priority: a real database has a machine of its own. On the same cores its scans
 * would delay the callers and distort the figures.
 */
public final class EmbeddedDatabase implements AutoCloseable {
    private static final Duration UP_WITHIN = Duration.ofSeconds(60);

    /** The quick compiler only: the query has its final speed from the beginning, not only after a minute. */
    private static final MemberCommand COMMAND =
            MemberCommand.small(DatabaseMain.class, 512).withLowPriority();

    private final Fleet process;
    private final DatabaseAddress address;

    private EmbeddedDatabase(Fleet process, DatabaseAddress address) {
        this.process = process;
        this.address = address;
    }

    /** Starts an empty database on a free port. If this thread is interrupted, no process is left. */
    public static EmbeddedDatabase start() throws InterruptedException {
        Fleet process = Fleet.start(1, COMMAND);
        try {
            Message address = process.collect(DatabaseMain.ADDRESS, UP_WITHIN).get(0);
            return new EmbeddedDatabase(
                    process, new DatabaseAddress(address.text("url"), DatabaseMain.USER, address.text("password")));
        } catch (RuntimeException | InterruptedException e) {
            process.close();
            throw e;
        }
    }

    public DatabaseAddress address() {
        return address;
    }

    @Override
    public void close() {
        process.close();
    }
}
