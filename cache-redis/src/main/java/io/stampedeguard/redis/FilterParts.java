package io.stampedeguard.redis;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.time.TimeSource;
import java.util.concurrent.Executor;

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
        FilterView view,
        FilterReports reports,
        TimeSource time,
        Executor threads) {
    /** Says what was not done, as {@link Commands#changeMany} wants it. */
    String notDone(String what) {
        return what + " filter " + KeyText.shown(name);
    }

    /** Sends one call. */
    Object send(String notDone, ScriptCall call) {
        return commands.change(notDone + " filter", name, call, answer -> answer);
    }
}
