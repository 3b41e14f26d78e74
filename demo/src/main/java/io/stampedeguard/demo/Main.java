package io.stampedeguard.demo;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/** The program behind {@code ./stampede}: exit code 0, 1 if the run failed, 2 if an option is wrong. */
final class Main {
    private static final long LONGER_THAN_A_SIGNAL_MILLIS = 200;

    private Main() {}

    /** Runs the command and ends the JVM. */
    public static void main(String[] arguments) {
        Locale.setDefault(Locale.ROOT);
        int code = new CommandLine(new DemoCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((wrong, words) -> complain(textOf(wrong), 2))
                .setExecutionExceptionHandler((failure, command, parsed) -> failed(failure))
                .execute(arguments);
        System.exit(code);
    }

    /** Ctrl-C ends Redis at the same time; what the run makes of that is of no interest, and this JVM is about to end. */
    private static int failed(Exception failure) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(LONGER_THAN_A_SIGNAL_MILLIS);
        if (jvmIsEnding()) {
            return 1;
        }
        return complain(textOf(failure), 1);
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

    private static int complain(String message, int code) {
        System.err.println("stampede demo: " + message.replaceAll("\\s+", " ")
                + (code == 2 ? " (see ./stampede demo --help)" : ""));
        return code;
    }
}
