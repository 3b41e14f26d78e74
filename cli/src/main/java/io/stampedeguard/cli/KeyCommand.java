package io.stampedeguard.cli;

import static io.stampedeguard.testbed.program.WrongOptionException.require;

import io.stampedeguard.codec.KeyEncoder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command for one key on one server. Filled by picocli, then for one thread. */
abstract class KeyCommand extends ServerCommand {
    @Parameters(paramLabel = "KEY", description = "The key, as CACHE:KEY, such as products:42.")
    private String key = "";

    @Option(
            names = "--cache",
            paramLabel = "NAME",
            description = "The name of the cache; KEY is then the key without it.")
    private @Nullable String cache;

    @Override
    final void requireRightOptions() {
        if (cache == null) {
            int colon = key.indexOf(':');
            require(
                    colon >= 0 && isCacheName(key.substring(0, colon)),
                    () -> "KEY " + KeyEncoder.shown(key) + " is not CACHE:KEY; or set the cache with --cache");
        } else {
            requireCacheName("--cache", cache);
        }
    }

    @Override
    final int run(Server server) {
        return run(cache == null ? key : cache + ":" + key, server);
    }

    /** Runs the command, prints the result, and returns the exit code; the key begins with the name of its cache, and a colon. */
    abstract int run(String storeKey, Server server);
}
