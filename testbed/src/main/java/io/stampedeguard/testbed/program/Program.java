package io.stampedeguard.testbed.program;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/** A program behind {@code ./stampede}: exit code 0, 1 if the run failed, 2 if an option is wrong, 130 after Ctrl-C. */
public final class Program {
    private static final long LONGER_THAN_A_SIGNAL_MILLIS = 200;

    private final String name;

    private Program(String name) {
        this.name = name;
    }

    /**
     * Runs a command and ends the JVM. A failure is reported in one line on standard error.
     *
     * @param name how the command is called, such as {@code stampede demo}
     * @param command the command, with picocli's annotations
     * @param arguments of the command line
     */
    public static void runAndExit(String name, Object command, String... arguments) {
        System.exit(commandLine(name, command).execute(arguments));
    }

    static CommandLine commandLine(String name, Object command) {
        Locale.setDefault(Locale.ROOT);
        Program program = new Program(name);
        return new CommandLine(command)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((wrong, words) -> program.complain(wrong.getCommandLine(), wrong, 2))
                .setExecutionExceptionHandler((failure, line, parsed) -> program.failed(line, failure));
    }

    /** Ctrl-C ends Redis at the same time; the failures that follow are not reported, since this JVM is about to end. */
    private int failed(CommandLine line, Exception failure) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(LONGER_THAN_A_SIGNAL_MILLIS);
        return jvmIsEnding() ? 1 : complain(line, failure, 1);
    }

    private static String textOf(Exception failure) {
        String message = failure.getMessage();
        return message == null ? failure.toString() : message;
    }

    private static boolean jvmIsEnding() {
        Thread probe = new Thread(() -> {}, "never-run");
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            Runtime.getRuntime().removeShutdownHook(probe);
            return false;
        } catch (IllegalStateException shutdownInProgress) {
            return true;
        }
    }

    private int complain(CommandLine line, Exception failure, int code) {
        line.getErr()
                .println(name + ": " + textOf(failure).replaceAll("\\s+", " ")
                        + (code == 2 ? " (see ./" + name + " --help)" : ""));
        return code;
    }
}
