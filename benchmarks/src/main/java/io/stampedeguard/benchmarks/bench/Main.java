package io.stampedeguard.benchmarks.bench;

import io.stampedeguard.testbed.program.Program;

/** The program behind {@code ./stampede bench}. */
final class Main {
    private Main() {}

    /** Runs the command and ends the JVM. */
    public static void main(String[] arguments) {
        Program.runAndExit("stampede bench", new BenchCommand(), arguments);
    }
}
