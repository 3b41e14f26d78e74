package io.stampedeguard.demo.serve.page;

import io.stampedeguard.demo.serve.figures.Sample;
import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.demo.serve.stage.Takeover;
import io.stampedeguard.testbed.program.JsonObject;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The press of a button, and its effect on both fleets, measured for some seconds, or until the next press. A sentence says what
 * was done, and at the end what came of it. For one thread.
 */
final class Press {
    private final long id;
    private final long atMillis;
    private final Action action;
    private final Map<Side, Tally> before;
    private final Map<Side, Effect> extremes = new EnumMap<>(Side.class);
    private String sentence;
    private String lacking = "";
    private int seconds;
    private boolean ended;
    private @Nullable Takeover takeover;

    /** {@code before} are the counts at this moment. */
    Press(long id, long atMillis, Action action, String sentence, Map<Side, Tally> before) {
        this.id = id;
        this.atMillis = atMillis;
        this.action = action;
        this.sentence = sentence;
        this.before = before;
    }

    long id() {
        return id;
    }

    /** Adds a sentence on a fleet without a process, which is kept to the end. */
    void lacks(String what) {
        lacking += " " + what;
    }

    /** Adds what becomes of the guarded fleet's load, whose process was killed; {@code null} if there was none. */
    void observe(@Nullable Takeover load) {
        takeover = load;
    }

    /** Adds the next second. Returns whether it was the last one. */
    boolean sees(Sample sample) {
        for (Side side : Side.values()) {
            extremes.put(side, extremes.getOrDefault(side, Effect.NONE).with(sample.of(side)));
        }
        seconds++;
        return seconds >= action.seconds();
    }

    /** Ends the measurement: the sentence now says what came of it. */
    void end(Map<Side, Tally> now) {
        ended = true;
        sentence = seconds == 0
                ? "The next button was pressed within the same second."
                : Sentences.after(action, effect(Side.NAIVE, now), effect(Side.GUARDED, now), takeover);
    }

    private Effect effect(Side side, Map<Side, Tally> now) {
        Tally since = now.getOrDefault(side, Tally.ZERO).minus(before.getOrDefault(side, Tally.ZERO));
        return extremes.getOrDefault(side, Effect.NONE).with(since, action.queries());
    }

    JsonObject json(Map<Side, Tally> now) {
        JsonObject json = json(id, atMillis, action, sentence + lacking)
                .number("seconds", seconds)
                .number("within", action.seconds())
                .flag("ended", ended);
        for (Side side : Side.values()) {
            json.object(side.toString(), effect(side, now).json());
        }
        return json;
    }

    /** Returns a press without an effect that could be measured. */
    static JsonObject json(long id, long atMillis, Action action, String sentence) {
        return new JsonObject()
                .number("id", id)
                .number("at", atMillis)
                .text("button", action.button())
                .text("sentence", sentence);
    }
}
