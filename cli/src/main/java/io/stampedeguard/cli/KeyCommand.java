package io.stampedeguard.cli;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.testbed.program.JsonObject;
import io.stampedeguard.testbed.program.Version;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command for one key on one server. Filled by picocli, then for one thread. */
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false)
abstract class KeyCommand implements Callable<Integer> {
    /** An exit code; 2 is that of a wrong option. */
    static final int DONE = 0;

    static final int NOT_THERE = 1;

    @Mixin
    private KeyArgument key = new KeyArgument();

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public final Integer call() {
        String storeKey = key.storeKey();
        try (Server server = options.connect()) {
            return run(storeKey, server);
        }
    }

    /** Runs the command, prints the result, and returns the exit code. */
    abstract int run(String storeKey, Server server);

    final void tell(String text, JsonObject json) {
        requireNonNull(spec).commandLine().getOut().println(options.json() ? json : text);
    }
}
