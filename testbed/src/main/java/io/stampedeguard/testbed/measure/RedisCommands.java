package io.stampedeguard.testbed.measure;

import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * How often each command was called on a Redis server, by its own {@code INFO commandstats}: commands inside scripts are
 * counted, and so are those of other clients of that server. <em>Immutable.</em>
 *
 * @param calls the number of calls of each command, subcommands as in {@code client|setinfo}
 */
public record RedisCommands(Map<String, Long> calls) {
    private static final Set<String> LOOKING_ON = Set.of("info", "config", "ping");
    private static final Set<String> SETTING_UP =
            Set.of("hello", "client", "auth", "select", "script", "command", "quit");

    private static final String PREFIX = "cmdstat_";
    private static final RedisCommands NONE = new RedisCommands(Map.of());

    /**
     * Takes a copy.
     *
     * @param calls the number of calls of each command
     */
    public RedisCommands {
        calls = Map.copyOf(calls);
    }

    /**
     * Reads the answer to {@code INFO commandstats}.
     *
     * @param info the answer
     * @return the calls it tells
     */
    public static RedisCommands parse(String info) {
        return new RedisCommands(info.lines()
                .filter(line -> line.startsWith(PREFIX))
                .map(line -> line.substring(PREFIX.length()).split(":calls=|,", 3))
                .collect(Collectors.toMap(parts -> parts[0], parts -> Long.parseLong(parts[1]))));
    }

    /**
     * Counts the calls of one command.
     *
     * @param command the command in small letters, without a subcommand
     * @return the number of its calls, inside scripts too
     */
    public long count(String command) {
        return since(command, NONE);
    }

    /**
     * Returns all calls but those of some commands.
     *
     * @param commands the commands in small letters; their subcommands are left out, too
     * @return the number of calls of each other command
     */
    public Map<String, Long> besides(String... commands) {
        Set<String> leftOut = Set.of(commands);
        return calls.entrySet().stream()
                .filter(call -> !leftOut.contains(command(call.getKey())))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static String command(String withSubcommand) {
        return withSubcommand.split("\\|", 2)[0];
    }

    /**
     * Counts what was called since an earlier look.
     *
     * @param earlier the earlier look
     * @return the number of calls, without those that only look on: {@code INFO}, {@code CONFIG}, {@code PING}
     */
    public long since(RedisCommands earlier) {
        return since(earlier, command -> !LOOKING_ON.contains(command));
    }

    /**
     * Counts the work for gets since an earlier look.
     *
     * @param earlier the earlier look
     * @return the number of calls, without those that look on or set up connections
     */
    public long workSince(RedisCommands earlier) {
        return since(earlier, command -> !LOOKING_ON.contains(command) && !SETTING_UP.contains(command));
    }

    /**
     * Counts the calls of one command since an earlier look.
     *
     * @param command the command in small letters, without a subcommand
     * @param earlier the earlier look
     * @return the number of its calls, inside scripts too
     */
    public long since(String command, RedisCommands earlier) {
        return since(earlier, command::equals);
    }

    private long since(RedisCommands earlier, Predicate<String> counted) {
        return calls.entrySet().stream()
                .filter(call -> counted.test(command(call.getKey())))
                .mapToLong(call -> call.getValue() - earlier.calls.getOrDefault(call.getKey(), 0L))
                .sum();
    }
}
