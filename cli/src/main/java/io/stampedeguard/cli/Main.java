package io.stampedeguard.cli;

import io.stampedeguard.testbed.program.Program;
import io.stampedeguard.testbed.program.Version;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** The commands for operators, started by {@code ./stampede} or as {@code java -jar stampede-guard-cli.jar}. */
final class Main {
    private static final String JAR = "java -jar stampede-guard-cli.jar";
    private static final Map<String, Supplier<Callable<Integer>>> COMMANDS = new TreeMap<>(Map.of(
            "doctor", DoctorCommand::new,
            "hot", HotCommand::new,
            "inspect", InspectCommand::new,
            "evict", EvictCommand::new,
            "invalidate", InvalidateCommand::new,
            "lease", LeaseCommand::new,
            "list", ListCommand::new));

    private Main() {}

    public static void main(String[] arguments) {
        if (System.getProperty("stampede.terminal") == null) { // which the script sets
            System.setProperty(Program.START, JAR);
        }
        String name = arguments.length == 0 ? "" : arguments[0];
        Callable<Integer> command = command(name);
        if (command != null) {
            Program.runAndExit("stampede " + name, command, Arrays.copyOfRange(arguments, 1, arguments.length));
        }
        switch (name) {
            case "-h", "--help", "help" -> System.out.println(help());
            case "-V", "--version" -> System.out.println(new Version().getVersion()[0]);
            default -> {
                System.err.println(
                        name.isEmpty() ? help() : "stampede: unknown command '" + name + "' (see " + JAR + " --help)");
                System.exit(2);
            }
        }
    }

    /** Returns a new command, {@code null} if there is none of this name. */
    static @Nullable Callable<Integer> command(String name) {
        Supplier<Callable<Integer>> command = COMMANDS.get(name);
        return command == null ? null : command.get();
    }

    private static String help() {
        StringBuilder help = new StringBuilder("Usage: " + JAR + " COMMAND [options]\n\n");
        COMMANDS.forEach((name, command) -> help.append("  %-10s  %s%n"
                .formatted(
                        name,
                        new CommandLine(command.get())
                                .getCommandSpec()
                                .usageMessage()
                                .header()[0])));
        return help.append("\nOptions of a command: COMMAND --help\nThe version: --version")
                .toString();
    }
}
