package io.stampedeguard.demo;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.report.Comparison;
import io.stampedeguard.demo.report.FigureReport;
import io.stampedeguard.demo.report.StampedePicture;
import io.stampedeguard.demo.scenario.OutageScenario;
import io.stampedeguard.demo.scenario.Plan;
import io.stampedeguard.demo.scenario.Scenario;
import io.stampedeguard.testbed.fleet.MemberEndedException;
import io.stampedeguard.testbed.program.Progress;
import io.stampedeguard.testbed.program.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/** The command {@code ./stampede demo}: starts the servers, runs each scenario in each mode, and shows the results. */
@Command(
        name = "./stampede demo",
        customSynopsis = "Usage: ./stampede demo [OPTIONS]",
        synopsisHeading = "",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = "Shows a cache stampede, and the same load with the guarded cache.",
        description = {
            "Starts a real Redis, a real SQL database and a fleet of JVMs, whose callers",
            "read products in these scenarios, once plain and once guarded:",
            "  cold         one hot product is missing, all callers ask at once",
            "  expiry       one hot product with a TTL of 1 s, under steady load",
            "  avalanche    10,000 products stored together expire under load",
            "  replay       a trace of requests, as fast as the callers can",
            "  crash        the process that loads a hot product is killed",
            "  penetration  every fourth caller asks for nonexistent products",
            "  outage       Redis is killed under load, and started again, empty",
            "docs/workloads.md explains the scenarios, the modes, and all figures.",
        })
final class DemoCommand implements Callable<Integer> {
    private static final int MILLIS_TO_START = 5_000;
    private static final int MILLIS_BETWEEN = 1_000;
    private static final int MILLIS_PER_SECOND = 1_000;

    private static final String WHAT_NEXT = """

              Two prices. A crash costs a lease: the others wait until it has ended.
              A key that nobody else requests costs a second round trip, for its lease.

              ./stampede demo --serve    the same live in the browser, with buttons
              ./stampede demo --verbose  all figures, of more modes (--help: all options)
              README.md, Quick start     a complete program
            """;

    @Mixin
    private DemoOptions options = new DemoOptions();

    @Mixin
    private ServeOptions page = new ServeOptions();

    @Spec
    private @Nullable CommandSpec spec;

    private final Progress progress = new Progress(System.err, Boolean.getBoolean("stampede.terminal"));
    private final Comparison comparison = new Comparison(Boolean.getBoolean("stampede.colors"));

    @Override
    public Integer call() throws Exception {
        page.check(options, given());
        options.check();
        if (page.areGiven()) {
            progress.now("starting Redis, two databases and two fleets");
            page.serve();
            return 0;
        }
        if (options.redis() != null) {
            System.setProperty("stampede.redis", options.redis());
            System.setProperty("stampede.redis.option", "--redis"); // for messages
        }
        try (FleetLog log = FleetLog.open(options.log())) {
            demonstrate(options.plan(), log.file());
        }
        return 0;
    }

    private void demonstrate(Plan plan, @Nullable Path log) throws Exception {
        try {
            show(plan, log);
        } catch (MemberEndedException ended) {
            throw log == null
                    ? ended
                    : new IllegalStateException(ended.getMessage() + "; see the end of " + log, ended);
        }
    }

    private List<String> given() {
        return spec == null
                ? List.of()
                : spec.commandLine().getParseResult().matchedOptions().stream()
                        .map(OptionSpec::longestName)
                        .toList();
    }

    private void show(Plan plan, @Nullable Path log) throws Exception {
        if (!options.json()) {
            int count = options.scenarios().size();
            System.out.printf(
                    "  %s, without and with the cache: about %s.%n",
                    count == 1 ? "1 scenario" : count + " scenarios", expectedTime(plan));
        }
        List<Figures> all = run(plan);
        if (options.verbose()) {
            showAll(all, plan);
        }
        if (!options.json()) {
            showWhatNext(log);
        }
        Path svg = options.svg();
        if (svg != null) {
            Files.writeString(svg, StampedePicture.of(cold(all, Mode.PLAIN), cold(all, Mode.GUARDED)));
        }
    }

    private String expectedTime(Plan plan) {
        int millis = MILLIS_TO_START;
        for (Scenario scenario : options.scenarios()) {
            millis += options.modes(scenario).size() * (MILLIS_BETWEEN + scenario.expectedMillis(plan));
        }
        int tensOfSeconds = Math.max(1, Math.round(millis / 10_000f));
        int minutes = Math.round(tensOfSeconds / 6f);
        if (tensOfSeconds < 10) {
            return tensOfSeconds + "0 s";
        }
        return minutes + (minutes == 1 ? " minute" : " minutes");
    }

    private List<Figures> run(Plan plan) throws Exception {
        progress.now("starting Redis, the database and %d processes".formatted(plan.processes()));
        String runId = Long.toString(ThreadLocalRandom.current().nextLong(Integer.MAX_VALUE), Character.MAX_RADIX);
        List<Figures> all = new ArrayList<>();
        try (Stage stage = Stage.start(plan, options.crashes(), options.database(), runId)) {
            showTitles(plan, stage.queryMillis());
            int number = 0;
            for (Scenario scenario : options.scenarios()) {
                number++;
                List<Figures> ofScenario = new ArrayList<>();
                for (Mode mode : options.modes(scenario)) {
                    progress.now(
                            "%d/%d %s  %s".formatted(number, options.scenarios().size(), scenario.name(), mode));
                    Figures figures = new FleetPhase(stage, scenario, mode, plan).run(seconds(scenario, plan)::show);
                    ofScenario.add(figures);
                    showJson(figures, plan);
                }
                showVerdict(number, scenario, ofScenario, plan);
                all.addAll(ofScenario);
            }
        } finally {
            progress.clear();
        }
        return all;
    }

    /** The seconds since the callers were released, of those that a mode takes. */
    private interface Seconds {
        void show(long gets);
    }

    private Seconds seconds(Scenario scenario, Plan plan) {
        long began = System.nanoTime();
        int expected = Math.max(1, Math.round(scenario.expectedMillis(plan) / (float) MILLIS_PER_SECOND));
        return gets -> progress.at("%d of %d s"
                .formatted(Math.min(expected, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began)), expected));
    }

    private void showTitles(Plan plan, double queryMillis) {
        progress.clear();
        if (!options.json()) {
            System.out.printf(
                    "  A cache stampede, for real: %d JVMs x %d callers, Redis, %s SQL query.%n",
                    plan.processes(), plan.callers(), withArticle(queryMillis));
            System.out.println(comparison.titles());
        }
    }

    /** Returns a duration with its article: an 8.5 ms, an 11 ms, a 28 ms. */
    static String withArticle(double millis) {
        String shown = millis < 10 ? "%.1f ms".formatted(millis) : "%.0f ms".formatted(millis);
        boolean beginsWithAVowel = shown.startsWith("8") || shown.equals("11 ms") || shown.equals("18 ms");
        return (beginsWithAVowel ? "an " : "a ") + shown;
    }

    private void showJson(Figures figures, Plan plan) {
        if (options.json()) {
            progress.clear();
            FigureReport.jsonOfSeconds(figures, OutageScenario.stops(plan), OutageScenario.starts(plan))
                    .forEach(System.out::println);
            System.out.println(FigureReport.json(figures));
        }
    }

    private void showVerdict(int number, Scenario scenario, List<Figures> figures, Plan plan) {
        if (options.json()) {
            return;
        }
        progress.clear();
        System.out.println(comparison.of(number, scenario.name(), scenario.verdict(plan), scenario.guard(), figures));
    }

    private static void showAll(List<Figures> all, Plan plan) {
        for (String table : List.of(
                FigureReport.table(all),
                FigureReport.tableOfAttacks(all),
                FigureReport.tableOfOutages(all, OutageScenario.stops(plan), OutageScenario.starts(plan)))) {
            if (!table.isEmpty()) {
                System.out.printf("%n%s%n", table);
            }
        }
    }

    private void showWhatNext(@Nullable Path log) {
        System.out.print(WHAT_NEXT);
        if (log != null) {
            boolean killed = options.scenarios().stream().anyMatch(Scenario::stopsRedis);
            System.out.println(
                    (killed ? "  Redis was killed on purpose; the warnings: " : "  The log of the processes: ") + log);
        }
    }

    private static Figures cold(List<Figures> all, Mode mode) {
        return all.stream()
                .filter(figures -> figures.mode() == mode && figures.scenario().equals("cold"))
                .findFirst()
                .orElseThrow();
    }
}
