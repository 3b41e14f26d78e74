package io.stampedeguard.cli;

import static io.stampedeguard.testbed.program.WrongOptionException.require;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.report.EntryReport;
import io.stampedeguard.testbed.program.Columns;
import io.stampedeguard.testbed.program.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code ./stampede list}: prints the keys of a cache. */
@Command(
        name = "./stampede list",
        header = "Prints the keys of a cache in Redis, with their states and TTLs.",
        description = {
            "",
            "Keys are found by SCAN, in no particular order. After each step, the command pauses for nine times as long as"
                    + " the step took, so that it takes a tenth of Redis' time at most. Long work is reported"
                    + " on standard error.",
            "",
            "Columns: the state of the entry and of the lease, the size of the payload, and in seconds the age of the entry,"
                    + " the time until its soft expiry, and the time until Redis removes it. \"removed\" is what was removed with all"
                    + " others, or by a tag. Changes nothing.",
            "",
            "Exit code: 0, also if there is none; 1 if Redis does not answer or refuses; 2 for a wrong option.",
            ""
        })
final class ListCommand extends ServerCommand {
    private static final List<String> TITLES = List.of("key", "entry", "lease", "bytes", "age", "soft", "kept");

    @Parameters(paramLabel = "CACHE", description = "The name of the cache.")
    private String cache = "";

    @Option(names = "--limit", paramLabel = "N", description = "The maximum number of keys to print (default: 100).")
    private int limit = 100;

    @Option(
            names = "--scan",
            paramLabel = "N",
            description = "The maximum number of Redis keys to scan on each server, approximately (default: 1000000).")
    private long scan = 1_000_000;

    /** The jar does not know whether there is a terminal. */
    private final Progress progress =
            new Progress(System.err, Boolean.getBoolean("stampede.terminal"), Duration.ofSeconds(10), System::nanoTime);

    @Override
    void requireRightOptions() {
        requireCacheName("CACHE", cache);
        require(limit >= 1, () -> "--limit " + limit + " is less than 1");
        require(scan >= 1, () -> "--scan " + scan + " is less than 1");
    }

    @Override
    int run(Server server) {
        LeaseNames names = new LeaseNames(server.prefix(), cache + ":");
        KeyScan keys = new KeyScan(names.patternOfAll(), scan, true);
        Set<String> found = new LinkedHashSet<>();
        boolean isAll = findAll(server, names, keys, found);
        List<KeyView> shown = read(server, keys, found);
        if (isJson()) {
            shown.forEach(view -> tell(view.json()));
        } else {
            tell(shown.isEmpty() ? "no key was found" : table(shown));
        }
        if (!isAll) {
            warn(
                    found.size() > limit
                            ? "there are more: only %d keys are shown (--limit)".formatted(limit)
                            : "there may be more: not all Redis keys were scanned (--scan)");
        }
        return DONE;
    }

    /** Finds one more than is shown, if there is one; returns whether all were found. */
    private boolean findAll(Server server, LeaseNames names, KeyScan keys, Set<String> found) {
        Set<Boolean> ends = new HashSet<>();
        AtomicLong steps = new AtomicLong();
        boolean allAnswered = server.eachMaster((where, master) -> ends.add(keys.scan(master, some -> {
            for (String name : some) {
                String key = names.keyOf(name);
                if (key != null && found.size() <= limit) {
                    found.add(key);
                }
            }
            progress.at("scanned: about %,d, found: %,d"
                    .formatted(steps.incrementAndGet() * KeyScan.IN_ONE_STEP, found.size()));
            return found.size() <= limit;
        })));
        progress.clear();
        return allAnswered && !ends.contains(false);
    }

    /** Leaves out what is gone meanwhile. */
    private List<KeyView> read(Server server, KeyScan keys, Set<String> found) {
        List<KeyView> shown = new ArrayList<>();
        found.stream().limit(limit).forEach(key -> {
            long began = System.nanoTime();
            KeyView view = KeyView.of(key, server);
            if (view.isThere()) {
                shown.add(view);
            }
            keys.pause(began);
            progress.at("read: " + shown.size());
        });
        progress.clear();
        return shown;
    }

    private static String table(List<KeyView> shown) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(TITLES);
        shown.forEach(view -> rows.add(row(view)));
        return Columns.of(rows, 3);
    }

    private static List<String> row(KeyView view) {
        EntryReport entry = view.entry();
        return List.of(
                KeyEncoder.shown(view.storeKey()),
                view.isRemoved() ? "removed" : KeyView.word(entry.state()),
                KeyView.word(view.lease().state()).replace('_', ' '),
                entry.publisher() == null ? "-" : Integer.toString(entry.payloadBytes()),
                seconds(entry.age()),
                seconds(entry.softLeft()),
                seconds(entry.remaining()));
    }

    private static String seconds(@Nullable Duration length) {
        return length == null ? "-" : String.format(Locale.ROOT, "%.1f", length.toMillis() / 1e3);
    }
}
