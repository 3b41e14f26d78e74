package io.stampedeguard.cli;

import picocli.CommandLine.Mixin;

/** A command for one key on one server. Filled by picocli, then for one thread. */
abstract class KeyCommand extends ServerCommand {
    @Mixin
    private KeyArgument key = new KeyArgument();

    @Override
    final void requireRightOptions() {
        key.storeKey();
    }

    @Override
    final int run(Server server) {
        return run(key.storeKey(), server);
    }

    /** Runs the command, prints the result, and returns the exit code. */
    abstract int run(String storeKey, Server server);
}
