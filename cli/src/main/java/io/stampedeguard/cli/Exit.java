package io.stampedeguard.cli;

/** The exit codes of the commands, besides 2 for a wrong option. */
final class Exit {
    static final int DONE = 0;
    static final int NOT_THERE = 1;

    private Exit() {}
}
