package io.stampedeguard.demo.measure;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How often each command was called on a Redis server, by its own {@code INFO commandstats}: commands inside scripts are
 * counted, and so are those of other clients of that server. <em>Immutable.</em>
 *
 * @param calls the number of calls of each command, subcommands as in {@code client|setinfo}
 */
public record RedisCommands(Map<String, Long> calls) {
    /** Looking on, and setting up connections: no work for any get. */
    private static final Set<String> NOT_COUNTED =
            Set.of("info", "config", "ping", "hello", "client", "auth", "select", "script", "command", "quit");

    private static final String PREFIX = "cmdstat_";

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
     * Counts what was called since an earlier look.
     *
     * @param earlier the earlier look
     * @return the number of calls, without those that only look on or set up connections
     */
    public long since(RedisCommands earlier) {
        return calls.entrySet().stream()
                .filter(call -> !NOT_COUNTED.contains(call.getKey().split("\\|", 2)[0]))
                .mapToLong(call -> call.getValue() - earlier.calls.getOrDefault(call.getKey(), 0L))
                .sum();
    }
}
