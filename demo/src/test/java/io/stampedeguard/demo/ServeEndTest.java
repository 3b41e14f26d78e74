package io.stampedeguard.demo;

import static java.time.Duration.ofMinutes;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stampedeguard.testbed.program.ProgramJvm;
import io.stampedeguard.testbed.program.ProgramRun;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ./stampede demo --serve} as a program: how it starts, and how it ends. */
@Execution(ExecutionMode.CONCURRENT) // each test waits for a program with processes of its own
class ServeEndTest {
    /** Redis, two databases, and two processes for each fleet. */
    private static final int CHILDREN = 7;

    private static final long LONGER_THAN_A_PROCESS_MAY_BE_SILENT = 24;

    private static final String REDIS =
            "Its Redis, which keeps running if this process is killed \\(SIGKILL\\): .*, at redis://127\\.0\\.0\\.1:\\d+, process ";

    private static final Pattern SAMPLE = Pattern.compile("data: \\{\"at\": ?(\\d+), ?\"redis\"");

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --port 1                    | --port and --bind need --serve
                    --bind localhost            | --port and --bind need --serve
                    --serve --port 70000        | --port 70000 is not from 0 to 65,535
                    --serve --processes 8       | --serve can only be combined with --port and --bind, not with --processes
                    --serve --port 0 --json     | --serve can only be combined with --port and --bind, not with --json
                    --serve --redis redis://a:1 | --serve stops its Redis and slows its database down: it cannot be combined with --redis or --jdbc-url
                    """)
    void aWrongOptionIsOneLineAndExitCode2(String options, String complaint) {
        assertThat(ProgramRun.here("stampede demo", new DemoCommand(), options.split(" ")))
                .isEqualTo(ProgramRun.ofWrongOption("stampede demo", complaint));
    }

    @Test
    void aPortThatIsInUseIsOneLineAndExitCode1() throws Exception {
        try (ServerSocket somebody = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                ProgramJvm demo = ProgramJvm.start(
                        Main.class, directory, "--serve", "--port", Integer.toString(somebody.getLocalPort()))) {
            assertThat(demo.lines()).isEmpty();
            assertThat(demo.exitCode()).isEqualTo(1);
            assertThat(demo.errors().lines().reduce((before, last) -> last).orElseThrow())
                    .isEqualTo("stampede demo: cannot listen on 127.0.0.1, port %d (Address already in use):"
                                    .formatted(somebody.getLocalPort())
                            + " choose another one with --port");
        }
    }

    @Test
    void itServesMetricsOfBothProcessesAndCtrlCLeavesNothingBehind() throws Exception {
        try (ProgramJvm demo = ProgramJvm.start(Main.class, directory, "--serve", "--port", "0")) {
            List<String> lines = demo.firstLines(2);
            assertThat(lines).as(demo.errors()).hasSize(2);
            String url = lines.get(0).replaceFirst("The page: (\\S+) .*", "$1");
            // A process that does not answer a scrape at once is omitted from that scrape.
            await().atMost(ofMinutes(5))
                    .untilAsserted(() -> assertThat(metrics(url))
                            .contains("demo_queries_total{fleet=\"naive\"}")
                            .containsPattern("cache_stampede_lookups_total\\{.*process=\"guarded-1\"")
                            .containsPattern("cache_stampede_lookups_total\\{.*process=\"guarded-2\"")
                            .containsOnlyOnce("# TYPE cache_stampede_lookups_total counter"));
            // One that is silent for too long is replaced, which may be at this moment.
            List<ProcessHandle> children = await().atMost(ofMinutes(5))
                    .until(() -> demo.handle().descendants().toList(), all -> all.size() >= CHILDREN);
            assertThat(children).anyMatch(child -> lines.get(1).matches(REDIS + child.pid()));

            new ProcessBuilder("kill", "-INT", Long.toString(demo.handle().pid()))
                    .start()
                    .waitFor();

            assertThat(demo.exitCode()).isEqualTo(130);
            for (ProcessHandle child : children) {
                child.onExit().get(120, SECONDS);
            }
            assertThat(directory.resolve("temporary")).isEmptyDirectory();
        }
    }

    @Test
    @Tag("proof")
    void afterCtrlZAndFgAllGoesOnWithTheSameProcesses() throws Exception {
        try (ServedDemo demo = ServedDemo.start(directory)) {
            ProcessHandle program = demo.program().handle();
            List<ProcessHandle> children = program.descendants().toList();
            List<ProcessHandle> all =
                    Stream.concat(Stream.of(program), children.stream()).toList();

            signal("STOP", all);
            SECONDS.sleep(LONGER_THAN_A_PROCESS_MAY_BE_SILENT);
            long continued = System.currentTimeMillis();
            signal("CONT", all);

            await().atMost(ofMinutes(5))
                    .until(() -> sampled(demo.url()).stream()
                                    .filter(instant -> instant > continued)
                                    .count()
                            >= 2);
            List<Long> sampled = sampled(demo.url());
            for (int i = 1; i < sampled.size(); i++) {
                assertThat(sampled.get(i) - sampled.get(i - 1))
                        .as("ms from sample %d to the next; missed ones are not made up for", i)
                        .isGreaterThan(500);
            }
            assertThat(program.descendants()).containsAll(children);
        }
    }

    private static void signal(String name, List<ProcessHandle> processes) throws Exception {
        for (ProcessHandle process : processes) {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        }
    }

    /** Returns when the past samples were taken, in ms since the epoch; a new subscriber gets them first. */
    private static List<Long> sampled(String url) throws IOException {
        try (InputStream events = URI.create(url + "events").toURL().openStream();
                BufferedReader lines = new BufferedReader(new InputStreamReader(events, StandardCharsets.UTF_8))) {
            return lines.lines()
                    .takeWhile(line -> !line.equals("event: now"))
                    .map(SAMPLE::matcher)
                    .filter(Matcher::lookingAt)
                    .map(sample -> Long.parseLong(sample.group(1)))
                    .toList();
        }
    }

    private static String metrics(String url) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url + "metrics")).build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
