package io.stampedeguard.cli;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.testbed.program.Columns;
import io.stampedeguard.testbed.program.JsonObject;
import io.stampedeguard.testbed.program.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./stampede hot}: tells which keys are being loaded now, cool down, or are waited for. */
@Command(
        name = "./stampede hot",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = "Tells which keys are being loaded or waited for now, by the whole fleet.",
        description = {
            "",
            "Redis knows who holds a lease, and how many processes wait for another one's load; not how many callers wait"
                    + " in each process. That is told there, by StampedeGuardedCache.hotKeys(n) and by a line in"
                    + " the log. So 'processes' counts those that listen for the end of a load, whatever number of"
                    + " their callers wait, and without those whose policy is to poll.",
            "",
            "Leases are found by SCAN, keys that are waited for by PUBSUB CHANNELS.",
            "",
            "Exit code: 0, also if there is nothing to tell, 1 if Redis does not answer or refuses, 2 for a wrong option.",
            ""
        })
final class HotCommand implements Callable<Integer> {
    @Option(names = "--cache", paramLabel = "NAME", description = "Only keys of this cache.")
    private @Nullable String cache;

    @Option(
            names = "--scan",
            paramLabel = "N",
            description = "Look at about so many Redis keys of each server at most (default: 1000000; 0: none, so that"
                    + " keys are found only if a process waits for them).")
    private long scan = 1_000_000;

    @Option(names = "--most", paramLabel = "N", description = "Tell of so many keys at most (default: 100).")
    private int most = 100;

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        requireRightOptions();
        try (Server server = options.connect()) {
            HotLook look = new HotLook(server, cache == null ? "" : cache + ":", scan);
            List<HotLook.Hot> all = look.look();
            List<HotLook.Hot> shown = all.subList(0, Math.min(most, all.size()));
            if (options.json()) {
                shown.forEach(hot -> System.out.println(json(hot)));
            } else {
                System.out.println(all.isEmpty() ? nothing(look.isCutShort()) : table(shown));
            }
            if (look.isCutShort() || shown.size() < all.size()) {
                System.err.println("there may be more: %d of %d keys shown%s"
                        .formatted(
                                shown.size(),
                                all.size(),
                                look.isCutShort() ? ", and not all Redis keys looked at" : ""));
            }
            return Exit.DONE;
        }
    }

    private void requireRightOptions() {
        require(cache == null || KeyArgument.isCacheName(cache), () -> KeyArgument.noCacheName(requireNonNull(cache)));
        require(scan >= 0, () -> "--scan " + scan + " is less than 0");
        require(most >= 1, () -> "--most " + most + " is less than 1");
    }

    private void require(boolean right, Supplier<String> otherwise) {
        if (!right) {
            throw new ParameterException(requireNonNull(spec).commandLine(), otherwise.get());
        }
    }

    /** Says no more than was looked at. */
    private String nothing(boolean cutShort) {
        if (cutShort) {
            return "nothing found";
        }
        return scan == 0
                ? "no process waits for another one's load"
                : "nothing is being loaded, cools down, or is waited for";
    }

    private static String table(List<HotLook.Hot> shown) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("key", "lease", "processes"));
        shown.forEach(hot -> rows.add(
                List.of(KeyText.shown(hot.storeKey()), hot.lease().toString(), Long.toString(hot.processes()))));
        return Columns.of(rows, 2);
    }

    private static JsonObject json(HotLook.Hot hot) {
        return new JsonObject()
                .text("key", hot.storeKey())
                .object("lease", KeyView.leaseJson(hot.lease()))
                .number("processes", hot.processes());
    }
}
