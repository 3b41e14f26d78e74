package io.stampedeguard.simulation;

import io.stampedeguard.testbed.program.Columns;
import io.stampedeguard.testbed.program.Progress;
import io.stampedeguard.testbed.program.ThreadKind;
import io.stampedeguard.testbed.program.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code ./stampede simulate}: runs each scenario with each size of the fleet, and shows the results. */
@Command(
        name = "./stampede simulate",
        customSynopsis = "Usage: ./stampede simulate [OPTIONS]",
        synopsisHeading = "",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = "Simulates fleets of up to 10,000 processes with the real cache, in virtual time.",
        description = {
            "The caches are real; their clocks, the network, Redis, and the origin are simulated in one thread.",
            "",
            "The figures, and what they cannot show, are explained in docs/simulation.md.",
            ""
        })
final class SimulateCommand implements Callable<Integer> {
    private static final List<String> SHOWN = List.of(
            "expiries",
            "loadsPerExpiry",
            "originPeak",
            "reads",
            "commandsPerProcessAndExpiry",
            "commandsBesidesReadsPerProcessAndExpiry",
            "commandsPerSecond",
            "bytesInPerSecond",
            "bytesOutPerSecond",
            "redisBusyShare",
            "wakeUpP50Ms",
            "wakeUpP99Ms",
            "readP99Ms",
            "errors");

    @Mixin
    private SimulateOptions options = new SimulateOptions();

    private final Progress progress = new Progress(System.err, Boolean.getBoolean("stampede.terminal"));

    /** Adds each scenario to the help. */
    @Spec
    void spec(CommandSpec given) {
        given.usageMessage()
                .footerHeading("%nScenarios:%n")
                .footer(Arrays.stream(Scenario.values())
                        .map(scenario -> "  " + scenario.option() + "  " + scenario.about())
                        .toArray(String[]::new));
    }

    @Override
    public Integer call() throws Exception {
        options.check();
        List<Run> runs = new ArrayList<>();
        try {
            for (Setting setting : options.settings()) {
                progress.now("%s, %,d processes, %,d keys, seed %d"
                        .formatted(setting.scenario().option(), setting.processes(), setting.keys(), setting.seed()));
                Run run = onOneStrand(() -> new Run(setting, SimulatedFleet.run(setting)));
                runs.add(run);
                if (options.json()) {
                    System.out.println(run.toJson());
                }
            }
        } finally {
            progress.clear();
        }
        if (!options.json()) {
            System.out.println(table(runs));
        }
        Path plots = options.plots();
        if (plots != null) {
            write(plots, runs);
        }
        return 0;
    }

    /** Runs the loop on a virtual thread, if there are any, so that a switch to a strand is one between virtual threads. */
    private static Run onOneStrand(Callable<Run> simulation) throws Exception {
        FutureTask<Run> task = new FutureTask<>(simulation);
        ThreadKind kind = ThreadKind.VIRTUAL.isAvailable() ? ThreadKind.VIRTUAL : ThreadKind.PLATFORM;
        kind.factory().newThread(task).start();
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** Returns one column for each run, because there are more figures than fit beside each other. */
    private static String table(List<Run> runs) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(row("scenario", runs, run -> run.setting().scenario().option()));
        rows.add(row("processes", runs, run -> number(run.setting().processes())));
        rows.add(row("keys", runs, run -> number(run.setting().keys())));
        rows.add(row("seed", runs, run -> Long.toString(run.setting().seed())));
        SHOWN.forEach(figure -> rows.add(row(figure, runs, run -> number(run.figure(figure)))));
        return Columns.of(rows, 1);
    }

    private static List<String> row(String title, List<Run> runs, Function<Run, String> cell) {
        List<String> row = new ArrayList<>(List.of(title));
        runs.stream().map(cell).forEach(row::add);
        return row;
    }

    private static String number(double number) {
        if (!Double.isFinite(number)) {
            return "–";
        }
        return String.format(Locale.ROOT, number == Math.rint(number) ? "%,.0f" : "%,.3f", number);
    }

    private static void write(Path directory, List<Run> runs) throws IOException {
        Files.createDirectories(directory);
        for (Scenario scenario : Scenario.values()) {
            List<Run> some = runs.stream()
                    .filter(run -> run.setting().scenario() == scenario)
                    .toList();
            if (!some.isEmpty()) {
                Files.writeString(directory.resolve(scenario.option() + ".svg"), new ScalePlot(scenario, some).toSvg());
            }
        }
    }
}
