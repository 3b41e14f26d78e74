package io.stampedeguard.demo.serve.page;

import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.member.Load;
import io.stampedeguard.demo.serve.stage.Seat;
import io.stampedeguard.demo.serve.stage.Takeover;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the page says about a button when it is pressed, and when its effect was measured. If the guarded fleet did worse, a sentence
 * says why. English, whatever the locale.
 */
final class Sentences {
    static final int NONEXISTENT_SECONDS = 6;

    private static final int CALLERS = Load.PROCESSES * Load.CALLERS;
    private static final double MILLIS_PER_SECOND = 1_000;

    private Sentences() {}

    /** Returns what a button does. */
    static String before(Action action, boolean redisRuns) {
        String hotToo = redisRuns ? ", and the hot key expires." : ".";
        return switch (action) {
            case EXPIRE_HOT -> "The hot key expires, which three in four calls request.";
            case EXPIRE_ALL -> say("All %d keys expire at once.", Load.keys().size());
            case SEND_NONEXISTENT_KEYS ->
                say("For %d s, callers also request products that do not exist.", NONEXISTENT_SECONDS);
            case SLOW_DATABASE -> "A query takes " + seconds(Load.SLOW_WORK_MILLIS) + " more now" + hotToo;
            case QUICK_DATABASE -> "A query takes only " + seconds(Load.WORK_MILLIS) + " more again" + hotToo;
            case KILL_PROCESS ->
                redisRuns
                        ? say(
                                "The hot key expires, and the process that loads it is killed (kill -9). Another one starts in %d s.",
                                Seat.EMPTY_FOR.toSeconds())
                        : "A process of each fleet is killed (kill -9). Another one starts when Redis runs again.";
            case STOP_REDIS -> "Redis is killed, and what it stored is lost.";
            case START_REDIS -> "Redis runs again, and is empty.";
            case NEAR_CACHE_OFF -> "All guarded calls read Redis from now on.";
            case NEAR_CACHE_ON -> "Guarded processes keep copies in memory from now on.";
        };
    }

    /** Returns what came of it. */
    static String after(Action action, Effect naive, Effect guarded, @Nullable Takeover takeover) {
        String result = switch (action) {
            case EXPIRE_HOT -> reloaded("the hot key", guarded);
            case EXPIRE_ALL -> reloaded("keys, a few at a time,", guarded);
            case SEND_NONEXISTENT_KEYS ->
                say(
                        "Behind the key filter, %s reached the database; without one, %,d.",
                        queries(guarded.queries()), naive.queries());
            case SLOW_DATABASE -> stuck(naive, guarded, "") + stale(guarded);
            case QUICK_DATABASE -> reloaded("what had expired", guarded);
            case KILL_PROCESS -> takenOver(takeover, guarded);
            case STOP_REDIS -> stuck(naive, guarded, ": each call is a query") + near(guarded);
            case START_REDIS ->
                say("%s of the guarded fleet filled Redis again", queries(guarded.queries())) + near(guarded);
            case NEAR_CACHE_OFF, NEAR_CACHE_ON -> before(action, true);
        };
        return result + failed(naive, guarded) + whyWorse(naive, guarded);
    }

    private static String reloaded(String what, Effect guarded) {
        return queries(guarded.queries()) + " reloaded " + what + " for the guarded fleet" + stale(guarded);
    }

    private static String stale(Effect guarded) {
        long stale = guarded.counted().get(Count.STALE);
        return stale == 0 ? "." : say("; %,d calls got a stale value meanwhile.", stale);
    }

    private static String near(Effect guarded) {
        long near = guarded.counted().get(Count.NEAR);
        return near == 0 ? ", without copies in memory." : say("; copies in memory answered %,d calls.", near);
    }

    private static String stuck(Effect naive, Effect guarded, String why) {
        return say(
                "Naive: %d of %d callers stuck%s. Guarded: %d of %d",
                naive.stuck(), CALLERS, why, guarded.stuck(), CALLERS);
    }

    private static String takenOver(@Nullable Takeover takeover, Effect guarded) {
        Optional<Takeover.By> by = takeover == null ? Optional.empty() : takeover.by();
        return by.map(other -> say(
                                "The killed process held the lease, and %s took it over %s later",
                                other.process(), seconds(other.after().toMillis()))
                        + stale(guarded))
                .orElse("No other process took over a load of the hot key.");
    }

    private static String failed(Effect naive, Effect guarded) {
        long ofNaive = naive.counted().get(Count.FAILURES);
        long ofGuarded = guarded.counted().get(Count.FAILURES);
        return ofNaive + ofGuarded == 0 ? "" : say(" Failed calls: %,d vs %,d.", ofNaive, ofGuarded);
    }

    /** Empty if the guarded fleet was not worse in any of the figures shown. */
    private static String whyWorse(Effect naive, Effect guarded) {
        String why = "";
        if (guarded.queries() > naive.queries()) {
            why += guarded.counted().get(Count.STALE) > 0
                    ? " The guarded fleet reloads a few stale values at a time, so some of its queries come later."
                    : " Both fleets draw their keys at random, and callers that are not stuck ask more often.";
        }
        if (guarded.slowestMillis() > naive.slowestMillis() || guarded.stuck() > naive.stuck()) {
            why += guarded.slowestMillis() < Load.WORK_MILLIS
                    ? " The slowest guarded call took less than a query: the cores of this machine serve both fleets."
                    : " Guarded callers waited for values that their processes did not have, or for a core of this machine.";
        }
        return why;
    }

    private static String queries(long count) {
        return say(count == 1 ? "%,d query" : "%,d queries", count);
    }

    private static String seconds(long millis) {
        return say("%.1f s", millis / MILLIS_PER_SECOND);
    }

    @SuppressWarnings("AnnotateFormatMethod") // private
    private static String say(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
