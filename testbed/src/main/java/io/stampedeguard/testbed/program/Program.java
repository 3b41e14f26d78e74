package io.stampedeguard.testbed.program;

import java.nio.file.FileSystemException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/** A program behind {@code ./stampede}: exit code 0, 1 if the run failed, 2 if an option is wrong, 130 after Ctrl-C. */
public final class Program {
    /** The system property for what users type to start the programs, in place of {@code ./stampede}. */
    public static final String START = "stampede.start";

    private static final long LONGER_THAN_A_SIGNAL_MILLIS = 200;
    private static final int MOST_CAUSES = 50;

    private final String name;

    private Program(String name) {
        this.name = name;
    }

    /** Runs a command and ends the JVM. A failure is reported in one line on standard error. */
    public static void runAndExit(String name, Object command, String... arguments) {
        System.exit(commandLine(name, command).execute(arguments));
    }

    static CommandLine commandLine(String name, Object command) {
        Locale.setDefault(Locale.ROOT);
        Program program = new Program(name);
        return new CommandLine(command)
                .setCommandName(program.start())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(
                        (wrong, words) -> program.complain(wrong.getCommandLine(), messageOf(wrong), 2))
                .setExecutionExceptionHandler((failure, line, parsed) -> program.failed(line, failure));
    }

    /** Ctrl-C ends Redis at the same time; the failures that follow are not reported, since this JVM is about to end. */
    private int failed(CommandLine line, Exception failure) throws InterruptedException {
        if (failure instanceof WrongOptionException) {
            return complain(line, messageOf(failure), 2);
        }
        TimeUnit.MILLISECONDS.sleep(LONGER_THAN_A_SIGNAL_MILLIS);
        return jvmIsEnding() ? 1 : complain(line, textOf(failure), 1);
    }

    /** Returns what failed, and why: the message of the last cause is appended, unless it is already a part of the text. */
    private static String textOf(Exception failure) {
        String text = messageOf(failure);
        String reason = messageOf(deepest(failure));
        return text.contains(reason) ? text : text + ": " + reason;
    }

    /** Returns the message of a failure, or its name if there is none. That of a file is a path, which says nothing without the name. */
    private static String messageOf(Throwable failure) {
        String message = failure.getMessage();
        boolean isPath = failure instanceof FileSystemException file && file.getReason() == null;
        if (message == null || isPath) {
            String name = failure.getClass().getSimpleName();
            return message == null ? name : name + " " + message;
        }
        return message;
    }

    /**
     * {@return the last cause of a failure; of a cycle any} If an exception has no cause, the first suppressed one counts as one:
     * Jedis fails at several addresses this way.
     */
    public static Throwable deepest(Throwable failure) {
        Throwable deepest = failure;
        for (int depth = 0; depth < MOST_CAUSES; depth++) { // they may form a cycle
            Throwable[] suppressed = deepest.getSuppressed();
            Throwable next = deepest.getCause() == null && suppressed.length > 0 ? suppressed[0] : deepest.getCause();
            if (next == null) {
                return deepest;
            }
            deepest = next;
        }
        return deepest;
    }

    /** Returns a text in one line, without characters that a terminal would obey. */
    private static String printable(String text) {
        return text.replaceAll("\\s+", " ").replaceAll("[\\p{Cc}\\p{Cf}]", "?");
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

    /** Returns what users type to start this program. */
    private String start() {
        String start = System.getProperty(START);
        return start == null ? "./" + name : name.replaceFirst("^stampede", start);
    }

    private int complain(CommandLine line, String text, int code) {
        line.getErr().println(name + ": " + printable(text) + (code == 2 ? " (see " + start() + " --help)" : ""));
        return code;
    }
}
