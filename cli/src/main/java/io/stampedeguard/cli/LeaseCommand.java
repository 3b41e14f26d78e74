package io.stampedeguard.cli;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.entry.StoredReports;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.report.LeaseReport;
import io.stampedeguard.testbed.program.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code ./stampede lease}: prints the holder of the lease of a key, and releases it on request. */
@Command(
        name = "./stampede lease",
        header = "Prints which process holds the lease of a key, and so loads it.",
        description = {
            "",
            "The lease of a crashed process ends by itself within the policy's leaseTtl, so there is rarely a reason to"
                    + " release one. The holder is not notified at once: its load continues, but the result is not stored,"
                    + " and another process can begin to load now.",
            "",
            "This is the lease on the given Redis server, or on its cluster. With RedlockStore, the lock servers hold it"
                    + " as well: release it on each of them first (--redis and --prefix of their stores), and on the"
                    + " store of the values last.",
            "",
            "Exit code: 0; 1 if the lease is not held (as during a cool-down), if --release did not release it, or if"
                    + " Redis does not answer or refuses; 2 for a wrong option.",
            ""
        })
final class LeaseCommand extends KeyCommand {
    @Option(
            names = "--release",
            description =
                    "Release the lease on behalf of its holder, and notify waiting processes. Does nothing if the lease"
                            + " has changed hands meanwhile.")
    private boolean release;

    @Override
    int run(String storeKey, Server server) {
        LeaseAttempt found = server.store().shared().inspect(storeKey).lease();
        LeaseReport lease = StoredReports.lease(found, null);
        boolean released = release && isReleased(server, storeKey, found);
        tell(text(storeKey, lease, released), json(storeKey, lease, released));
        boolean held = lease.state() == LeaseReport.State.HELD;
        return (release ? released : held) ? DONE : NOT_THERE;
    }

    private static boolean isReleased(Server server, String storeKey, @Nullable LeaseAttempt found) {
        LeaseToken holder = found instanceof LeaseAttempt.Held held ? held.holder() : null;
        if (holder == null) {
            return false;
        }
        HeldLease ended = new HeldLease(storeKey, holder);
        return Boolean.TRUE.equals(server.store()
                .shared()
                .end(Map.of(ended, new LeaseEnd.Abandon()))
                .get(ended));
    }

    private String text(String storeKey, LeaseReport lease, boolean released) {
        String found = "lease of " + KeyEncoder.shown(storeKey) + ": " + lease;
        return release ? found + "\n" + done(lease, released) : found;
    }

    private static String done(LeaseReport lease, boolean released) {
        if (released) {
            return "released; waiting processes were notified";
        }
        return switch (lease.state()) {
            case HELD ->
                lease.holder() == null
                        ? "not released: it does not belong to a cache; it ends by itself"
                        : "not released: it ended or changed hands meanwhile";
            case COOLING_DOWN -> "not released: there is no lease; to end a cool-down, invalidate the key";
            case NOT_CACHEABLE ->
                "not released: there is no lease; results of the key are not stored, so callers load without a lease";
            case FREE, UNKNOWN -> "not released: the lease is not held";
        };
    }

    private JsonObject json(String storeKey, LeaseReport lease, boolean released) {
        JsonObject json = new JsonObject().text("key", storeKey).object("lease", KeyView.leaseJson(lease));
        return release ? json.flag("released", released) : json;
    }
}
