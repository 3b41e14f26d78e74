package io.stampedeguard.cli;

/** How the commands end, besides 2 for wrong options. */
final class Exit {
    static final int DONE = 0;
    static final int NOT_THERE = 1;

    private Exit() {}
}
