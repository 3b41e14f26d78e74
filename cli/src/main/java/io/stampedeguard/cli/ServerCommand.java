package io.stampedeguard.cli;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.testbed.program.JsonObject;
import io.stampedeguard.testbed.program.Version;
import io.stampedeguard.testbed.program.WrongOptionException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command on one server, or on its cluster. Filled by picocli, then for one thread. */
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false)
abstract class ServerCommand implements Callable<Integer> {
    /** An exit code; 2 is that of a wrong option. */
    static final int DONE = 0;

    static final int NOT_THERE = 1;

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public final Integer call() {
        requireRightOptions();
        try (Server server = options.connect()) {
            return run(server);
        }
    }

    /** Checks the command's own options by {@link WrongOptionException#require}, before it connects. */
    abstract void requireRightOptions();

    /** Runs the command, prints the result, and returns the exit code. */
    abstract int run(Server server);

    final void requireCacheName(String option, String name) {
        WrongOptionException.require(KeyArgument.isCacheName(name), () -> KeyArgument.noCacheName(option, name));
    }

    final boolean isJson() {
        return options.json();
    }

    final void tell(String text, JsonObject json) {
        tell(isJson() ? json : text);
    }

    final void tell(Object line) {
        requireNonNull(spec).commandLine().getOut().println(line);
    }

    /** Prints on standard error that the output may not be everything. */
    final void warn(String line) {
        requireNonNull(spec).commandLine().getErr().println(line);
    }
}
