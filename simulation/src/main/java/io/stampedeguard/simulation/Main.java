package io.stampedeguard.simulation;

import io.stampedeguard.testbed.program.Program;

/** The program behind {@code ./stampede simulate}. */
final class Main {
    private Main() {}

    /** Runs the command and ends the JVM. */
    public static void main(String[] arguments) {
        // One strand runs at a time, and a switch within one carrier thread is the quickest.
        System.setProperty("jdk.virtualThreadScheduler.parallelism", "1");
        // Thousands of caches would log the same advice.
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "error");
        Program.runAndExit("stampede simulate", new SimulateCommand(), arguments);
    }
}
