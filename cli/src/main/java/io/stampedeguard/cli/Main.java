package io.stampedeguard.cli;

import io.stampedeguard.testbed.program.Program;
import java.util.Arrays;
import java.util.concurrent.Callable;

/** The program of {@code ./stampede inspect}, {@code lease}, {@code invalidate} and {@code hot}. */
final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        Program.runAndExit(
                "stampede " + arguments[0], command(arguments[0]), Arrays.copyOfRange(arguments, 1, arguments.length));
    }

    static Callable<Integer> command(String name) {
        return switch (name) {
            case "inspect" -> new InspectCommand();
            case "lease" -> new LeaseCommand();
            case "invalidate" -> new InvalidateCommand();
            case "hot" -> new HotCommand();
            default -> throw new IllegalArgumentException("no command '" + name + "'");
        };
    }
}
