package io.stampedeguard.demo;

import io.stampedeguard.testbed.program.Program;

/** The program behind {@code ./stampede demo}. */
final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        Program.runAndExit("stampede demo", new DemoCommand(), arguments);
    }
}
