package io.stampedeguard.cli;

import static io.stampedeguard.testbed.program.WrongOptionException.require;

import io.stampedeguard.testbed.program.JsonObject;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code ./stampede doctor}: checks whether Redis is set up as caches need it. */
@Command(
        name = "./stampede doctor",
        header = "Checks whether Redis is set up as caches need it.",
        description = {
            "",
            "Each master is checked for its version, its role, its eviction policy, the user's permissions, its clock, its"
                    + " latency, and its connections; then leases are counted. Changes nothing.",
            "",
            "Connect as the user of the caches, since the permissions are those of the user who connects. If it may access"
                    + " only some keys, name a cache (--cache).",
            "",
            "Exit code: 0 if there is no advice; 1 if there is, or if Redis does not answer or refuses; 2 for a wrong"
                    + " option. What the server does not report is 'unknown', and no advice.",
            ""
        })
final class DoctorCommand extends ServerCommand {
    private static final int ADVICE = 1;

    @Option(
            names = "--cache",
            paramLabel = "NAME",
            description = "Check the permissions for this cache, and count only its leases.")
    private @Nullable String cache;

    @Option(
            names = "--slow",
            paramLabel = "MS",
            description = "The median latency, in milliseconds, above which there is an advice (default: 5).")
    private long slow = 5;

    private int advices;
    private String lastServer = "";

    @Override
    void requireRightOptions() {
        if (cache != null) {
            requireCacheName("--cache", cache);
        }
        require(slow >= 0, () -> "--slow " + slow + " is less than 0");
    }

    @Override
    int run(Server server) {
        new Diagnosis(server, cache, Duration.ofMillis(slow), this::print).run();
        if (!isJson()) {
            tell("advice: " + advices);
        }
        return advices == 0 ? DONE : ADVICE;
    }

    private void print(String server, String check, Finding finding) {
        advices += finding.state() == Finding.State.ADVICE ? 1 : 0;
        String state = KeyView.word(finding.state());
        if (isJson()) {
            tell(new JsonObject()
                    .text("server", server)
                    .text("check", check)
                    .text("state", state)
                    .text("text", finding.text()));
            return;
        }
        if (!server.equals(lastServer)) {
            tell(server);
            lastServer = server;
        }
        tell("  %-7s  %-11s  %s".formatted(state, check, finding.text()));
    }
}
