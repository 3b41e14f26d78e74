package io.stampedeguard.testbed.measure;

import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The number of calls of each command on a Redis server, from its own {@code INFO commandstats}. Commands inside
 * scripts are counted, and so are those of other clients. <em>Immutable.</em>
 *
 * @param calls the number of calls of each command, subcommands as in {@code client|setinfo}
 */
public record RedisCommands(Map<String, Long> calls) {
    private static final Set<String> LOOKING_ON = Set.of("info", "config", "ping");
    private static final Set<String> SETTING_UP =
            Set.of("hello", "client", "auth", "select", "script", "command", "quit");

    private static final String PREFIX = "cmdstat_";
    private static final RedisCommands NONE = new RedisCommands(Map.of());

    public RedisCommands {
        calls = Map.copyOf(calls);
    }

    /** {@return the calls in the answer to {@code INFO commandstats}} */
    public static RedisCommands parse(String info) {
        return new RedisCommands(info.lines()
                .filter(line -> line.startsWith(PREFIX))
                .map(line -> line.substring(PREFIX.length()).split(":calls=|,", 3))
                .collect(Collectors.toMap(parts -> parts[0], parts -> Long.parseLong(parts[1]))));
    }

    /** {@return the number of calls of one command, inside scripts too} */
    public long count(String command) {
        return since(command, NONE);
    }

    /**
     * {@return the number of calls of each command except some}
     *
     * @param commands those, in small letters; their subcommands are left out, too
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
     * {@return the number of calls since an earlier reading, without those that only observe: {@code INFO}, {@code CONFIG},
     * {@code PING}}
     */
    public long since(RedisCommands earlier) {
        return since(earlier, command -> !LOOKING_ON.contains(command));
    }

    /** {@return the number of calls for gets since an earlier reading, without those that observe or set up connections} */
    public long workSince(RedisCommands earlier) {
        return since(earlier, command -> !LOOKING_ON.contains(command) && !SETTING_UP.contains(command));
    }

    /** {@return the number of calls of one command since an earlier reading, inside scripts too} */
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
