package io.stampedeguard.testbed.fleet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A command that reacts to Ctrl-C (SIGINT), wherever it is started. A script's background jobs ignore the signal, and
 * all their children inherit that: a test of Ctrl-C would wait forever there.
 */
public final class InterruptibleCommand {
    private static final List<String> RESET_SIGINT = List.of("env", "--default-signal=INT");
    private static final boolean ENV_CAN_RESET_SIGNALS = succeeds("env", "--default-signal=INT", "true");

    private InterruptibleCommand() {}

    /**
     * {@return a command that reacts to the signal if the system's {@code env} supports it (GNU coreutils 8.31); otherwise the
     * same}
     */
    public static List<String> of(List<String> words) {
        List<String> hearing = new ArrayList<>(ENV_CAN_RESET_SIGNALS ? RESET_SIGINT : List.of());
        hearing.addAll(words);
        return hearing;
    }

    private static boolean succeeds(String... words) {
        try {
            Process process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.onExit().join().exitValue() == 0;
        } catch (IOException noSuchCommand) {
            return false;
        }
    }
}
