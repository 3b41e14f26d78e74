package io.stampedeguard.cli;

import static io.stampedeguard.testbed.program.WrongOptionException.require;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.testbed.program.Columns;
import io.stampedeguard.testbed.program.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code ./stampede hot}: prints the keys that are being loaded, cool down, or have waiting processes. */
@Command(
        name = "./stampede hot",
        header = "Prints the keys that the fleet is loading or waiting for now.",
        description = {
            "",
            "Redis shows the holder of a lease, and how many processes wait for a load in another process, but not how"
                    + " many callers wait in each process: StampedeGuardedCache.hotKeys(n) and a line in the log report"
                    + " that. 'processes' counts the processes that listen for the end of a load, however many of their"
                    + " callers wait, without those that poll.",
            "",
            "Leases are found by SCAN, keys with waiting processes by PUBSUB CHANNELS.",
            "",
            "Exit code: 0, also if nothing is hot; 1 if Redis does not answer or refuses; 2 for a wrong option.",
            ""
        })
final class HotCommand extends ServerCommand {
    @Option(names = "--cache", paramLabel = "NAME", description = "Only keys of this cache.")
    private @Nullable String cache;

    @Option(
            names = "--scan",
            paramLabel = "N",
            description =
                    "The maximum number of Redis keys to scan on each server, approximately (default: 1000000; 0: none,"
                            + " so only keys with waiting processes are found).")
    private long scan = 1_000_000;

    @Option(names = "--most", paramLabel = "N", description = "The maximum number of keys to print (default: 100).")
    private int most = 100;

    @Override
    void requireRightOptions() {
        if (cache != null) {
            requireCacheName("--cache", cache);
        }
        require(scan >= 0, () -> "--scan " + scan + " is less than 0");
        require(most >= 1, () -> "--most " + most + " is less than 1");
    }

    @Override
    int run(Server server) {
        HotLook look = new HotLook(server, cache == null ? "" : cache + ":", scan);
        List<HotLook.Hot> all = look.look();
        List<HotLook.Hot> shown = all.subList(0, Math.min(most, all.size()));
        if (isJson()) {
            shown.forEach(hot -> tell(json(hot)));
        } else {
            tell(all.isEmpty() ? nothing(look.isCutShort()) : table(shown));
        }
        if (look.isCutShort() || shown.size() < all.size()) {
            warn("there may be more: %d of %d keys shown%s"
                    .formatted(
                            shown.size(),
                            all.size(),
                            look.isCutShort() ? ", and not all Redis keys were scanned" : ""));
        }
        return DONE;
    }

    /** Returns the text, which claims no more than was searched. */
    private String nothing(boolean cutShort) {
        if (cutShort) {
            return "nothing found";
        }
        return scan == 0
                ? "no process waits for a load in another process"
                : "no key is being loaded, cools down, or has waiting processes";
    }

    private static String table(List<HotLook.Hot> shown) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("key", "lease", "processes"));
        shown.forEach(hot -> rows.add(
                List.of(KeyEncoder.shown(hot.storeKey()), hot.lease().toString(), Long.toString(hot.processes()))));
        return Columns.of(rows, 2);
    }

    private static JsonObject json(HotLook.Hot hot) {
        return new JsonObject()
                .text("key", hot.storeKey())
                .object("lease", KeyView.leaseJson(hot.lease()))
                .number("processes", hot.processes());
    }
}
