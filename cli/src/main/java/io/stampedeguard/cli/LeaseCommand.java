package io.stampedeguard.cli;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.report.LeaseReport;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.testbed.program.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./stampede lease}: tells who holds the lease of a key, and gives it back if wanted. */
@Command(
        name = "./stampede lease",
        header = "Tells who holds the lease of a key, that is, who loads it.",
        description = {
            "",
            "A lease of a process that has died ends by itself within the policy's leaseTtl, so there is seldom a reason"
                    + " to release one. Its holder is not told at once: it loads on, but what it brings is"
                    + " not stored; and somebody else may begin to load now.",
            "",
            "It is the lease on the one Redis that is named, or on its cluster. With RedlockStore the lock servers"
                    + " have it, too: release it on each of them first (--redis and --prefix of their stores), on the"
                    + " store of the values last.",
            "",
            "Exit code: 0, or 1 if nobody holds the lease (nobody does during a cool-down), with --release if it was not"
                    + " released, or if Redis does not answer or refuses, 2 for a wrong option.",
            ""
        })
final class LeaseCommand extends KeyCommand {
    @Option(
            names = "--release",
            description = "Give the lease back in the name of its holder, and wake those who wait; does nothing if the"
                    + " lease has changed hands since it was looked at.")
    private boolean release;

    @Override
    int run(String storeKey, Server server) {
        LeaseReport lease = LeaseReport.of(server.store().inspect(storeKey).lease(), null);
        boolean released = release && isReleased(server, storeKey, lease);
        tell(text(storeKey, lease, released), json(storeKey, lease, released));
        boolean held = lease.state() == LeaseReport.State.HELD;
        return (release ? released : held) ? Exit.DONE : Exit.NOT_THERE;
    }

    private static boolean isReleased(Server server, String storeKey, LeaseReport lease) {
        LeaseToken holder = lease.holder();
        return holder != null && server.store().abandon(storeKey, holder);
    }

    private String text(String storeKey, LeaseReport lease, boolean released) {
        String found = "lease of " + KeyText.shown(storeKey) + ": " + lease;
        return release ? found + "\n" + done(lease, released) : found;
    }

    private static String done(LeaseReport lease, boolean released) {
        if (released) {
            return "released; those who wait were told";
        }
        return switch (lease.state()) {
            case HELD ->
                lease.holder() == null
                        ? "not released: it is none of a cache's; it ends by itself"
                        : "not released: it was given back or has changed hands in this moment";
            case COOLING_DOWN -> "not released: there is no lease; to end a cool-down, invalidate the key";
            case NOT_CACHEABLE ->
                "not released: there is no lease; results of the key are not stored, so callers load for themselves";
            case FREE, UNKNOWN -> "not released: nobody holds it";
        };
    }

    private JsonObject json(String storeKey, LeaseReport lease, boolean released) {
        JsonObject json = new JsonObject().text("key", storeKey).object("lease", KeyView.leaseJson(lease));
        return release ? json.flag("released", released) : json;
    }
}
