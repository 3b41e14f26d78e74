package io.stampedeguard.redis.internal.filter;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.redis.internal.command.Commands;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.time.TimeSource;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * What the parts of a filter have in common.
 *
 * @param name the filter's name
 * @param threads for what is done in the background
 */
record FilterParts(
        String name,
        Commands commands,
        FilterCalls calls,
        FilterCopy copy,
        FilterReports reports,
        TimeSource time,
        Executor threads) {
    /** Sends one call. */
    Object send(String notDone, Script.Call call) {
        return commands.change(commands.defaultTurn(), notDone + " filter", name, call, answer -> answer);
    }

    /** Sends many calls, as {@link Commands#changeMany} does. */
    <A> Map<Integer, A> sendAll(
            String notDone, Map<Integer, Script.Call> calls, Function<Object, A> meaning, Needed needed) {
        return commands.changeMany(
                commands.defaultTurn(), notDone + " filter " + KeyText.shown(name), calls, meaning, needed);
    }
}
