package io.stampedeguard.demo;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.report.JsonLine;
import io.stampedeguard.demo.report.StampedePicture;
import io.stampedeguard.demo.report.Table;
import io.stampedeguard.demo.scenario.OutageScenario;
import io.stampedeguard.demo.scenario.Plan;
import io.stampedeguard.demo.scenario.Scenario;
import io.stampedeguard.testbed.program.Progress;
import io.stampedeguard.testbed.program.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code ./stampede demo}: starts the servers, runs each scenario in each mode, and shows the results. */
@Command(
        name = "./stampede demo",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = "Shows a cache stampede, and the same load with the guarded cache.",
        description = {
            "",
            "Starts a real Redis, a real SQL database and a fleet of JVMs, and lets all callers of the fleet read"
                    + " products in several modes:",
            "",
            "  plain           cache-aside: GET; on a miss the query, and SET",
            "  plain-bounded   plain, with as many queries at once as guarded; in replay",
            "  guarded         one load for the whole fleet; others get the stale product,",
            "                  or wait; absence is cached, too (negative caching)",
            "  guarded-near    guarded, reloads begin early (early refresh), and each process",
            "                  keeps copies (near cache); in expiry and outage",
            "  guarded-filter  guarded, invalid keys are rejected (validation), and a",
            "                  Bloom filter in Redis contains the existing keys (key",
            "                  filter); in penetration only",
            "",
            "  cold         one hot product is absent, all callers ask at the same instant",
            "  expiry       one hot product with a TTL of 1 s, under steady load",
            "  avalanche    10,000 products stored together expire under load",
            "  replay       a trace of requests, as fast as the callers can",
            "  crash        the process that loads one hot product, for 2 s, is killed",
            "               (kill -9) while all callers ask for it",
            "  penetration  every fourth caller asks for nonexistent products, some of",
            "               them negative numbers, each only once; the others are users;",
            "               in mode guarded-filter products are created meanwhile",
            "  outage       Redis is killed for a few seconds under steady load, and",
            "               started again, empty",
            "",
            "Products are read by a query that scans order lines, some tens of milliseconds long; in replay, whose"
                    + " millions of requests would take hours, and in crash, by one that uses an index, well under 1 ms.",
            "",
            "Before each measurement every process runs its code for a while on other keys. 'At once' counts queries"
                    + " that hold a connection; each process has 10. 'Waited' counts the gets that waited for the"
                    + " database, through their own query or that of another caller, 'stale' those that returned a"
                    + " stale product. With --redis, 'Redis commands' counts those of"
                    + " other clients, too. In JSON, 'callers' is the number in each process.",
            "",
            "Outage has a timeline: the gets that ended in each second, the queries that began in it, and the largest"
                    + " number of queries at once.",
            "",
            "Penetration has a table of its own: 'without row' are queries that found no row, 'nonexistent in"
                    + " Redis' the entries for nonexistent products that Redis has at the end. A new row is inserted and"
                    + " announced by one process, and then all others ask for it: they have 'found' or 'missed' it."
                    + " 'Wrong' counts answers that differ from the database; it should be 0, and so should 'missed'.",
            ""
        })
final class DemoCommand implements Callable<Integer> {
    @Mixin
    private DemoOptions options = new DemoOptions();

    @Mixin
    private ServeOptions page = new ServeOptions();

    @Spec
    private @Nullable CommandSpec spec;

    private final Progress progress = new Progress(System.err, Boolean.getBoolean("stampede.terminal"));

    @Override
    public Integer call() throws Exception {
        String complaint = page.complaint(options, given());
        complaint = complaint != null ? complaint : options.complaint();
        if (complaint != null && spec != null) {
            throw new ParameterException(spec.commandLine(), complaint);
        }
        if (page.areGiven()) {
            progress.now("starting Redis, two databases and two fleets");
            page.serve();
            return 0;
        }
        if (options.redis() != null) {
            System.setProperty("stampede.redis", options.redis());
        }
        Plan plan = options.plan();
        List<Figures> all = run(plan);
        if (!options.json()) {
            System.out.println(Table.of(all));
            System.out.println();
            String attacks = Table.ofAttacks(all);
            if (!attacks.isEmpty()) {
                System.out.println(attacks);
                System.out.println();
            }
            String timeline = Table.ofOutages(all, OutageScenario.stops(plan), OutageScenario.starts(plan));
            if (!timeline.isEmpty()) {
                System.out.println(timeline);
                System.out.println();
            }
            options.scenarios().forEach(scenario -> System.out.println(scenario.meaning(all, plan)));
        }
        Path svg = options.svg();
        if (svg != null) {
            Files.writeString(svg, StampedePicture.of(cold(all, Mode.PLAIN), cold(all, Mode.GUARDED)));
        }
        return 0;
    }

    private List<String> given() {
        return spec == null
                ? List.of()
                : spec.commandLine().getParseResult().matchedOptions().stream()
                        .map(OptionSpec::longestName)
                        .toList();
    }

    private List<Figures> run(Plan plan) throws Exception {
        progress.now("starting Redis, the database and %d processes".formatted(plan.processes()));
        String runId = Long.toString(ThreadLocalRandom.current().nextLong(Integer.MAX_VALUE), Character.MAX_RADIX);
        List<Figures> all = new ArrayList<>();
        try (Stage stage = Stage.start(plan, options.crashes(), options.database(), runId)) {
            progress.now("the query takes %.0f ms when alone".formatted(stage.queryMillis()));
            for (Scenario scenario : options.scenarios()) {
                for (Mode mode : options.modes(scenario)) {
                    progress.now(scenario.name() + ", " + mode);
                    Figures figures = new FleetPhase(stage, scenario, mode, plan)
                            .run(gets -> progress.at("%,d gets".formatted(gets)));
                    all.add(figures);
                    if (options.json()) {
                        progress.clear();
                        JsonLine.ofSeconds(figures, OutageScenario.stops(plan), OutageScenario.starts(plan))
                                .forEach(System.out::println);
                        System.out.println(JsonLine.of(figures));
                    }
                }
            }
        } finally {
            progress.clear();
        }
        return all;
    }

    private static Figures cold(List<Figures> all, Mode mode) {
        return all.stream()
                .filter(figures -> figures.mode() == mode && figures.scenario().equals("cold"))
                .findFirst()
                .orElseThrow();
    }
}
