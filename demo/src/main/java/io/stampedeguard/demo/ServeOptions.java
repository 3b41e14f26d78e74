package io.stampedeguard.demo;

import static io.stampedeguard.testbed.program.WrongOptionException.require;
import static io.stampedeguard.testbed.program.WrongOptionException.requireFrom;

import io.stampedeguard.demo.serve.LiveDemo;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the live page. Filled by picocli, then checked, then only read. */
final class ServeOptions {
    private static final String LOOPBACK = "127.0.0.1";
    private static final Set<String> OWN = Set.of("--serve", "--port", "--bind");
    private static final int HIGHEST_PORT = 65_535;
    private static final int PORT = 8080;

    @Option(names = "--serve", description = "Instead: a page that shows two fleets live.")
    private boolean serve;

    @Option(names = "--port", paramLabel = "PORT", description = "Of the page (default: 8080); 0 for a free one.")
    private @Nullable Integer port;

    @Option(names = "--bind", paramLabel = "ADDRESS", description = "Listen there (default: 127.0.0.1).")
    private @Nullable String bind;

    boolean areGiven() {
        return serve;
    }

    /** Checks the options beside others; {@code given} names all given ones. */
    void check(DemoOptions others, List<String> given) {
        require(serve || (port == null && bind == null), () -> "--port and --bind need --serve");
        if (serve) {
            require(
                    others.redis() == null && others.database() == null,
                    () ->
                            "--serve stops its Redis and slows its database down: it cannot be combined with --redis or --jdbc-url");
            given.forEach(name -> require(
                    OWN.contains(name), () -> "--serve can only be combined with --port and --bind, not with " + name));
            requireFrom(0, HIGHEST_PORT, "--port", port());
        }
    }

    /** Serves until this thread is interrupted or the JVM ends. */
    void serve() throws Exception {
        try (LiveDemo demo = LiveDemo.start(bind == null ? LOOPBACK : bind, port())) {
            System.out.println("The page: " + demo.url() + " (Ctrl-C stops everything)");
            System.out.println("Its Redis, which keeps running if this process is killed (SIGKILL): " + demo.redis());
            new CountDownLatch(1).await();
        }
    }

    private int port() {
        return port == null ? PORT : port;
    }
}
