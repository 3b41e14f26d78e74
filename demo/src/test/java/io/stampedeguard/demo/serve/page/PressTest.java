package io.stampedeguard.demo.serve.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.Counts;
import io.stampedeguard.demo.serve.figures.ProcessState;
import io.stampedeguard.demo.serve.figures.Sample;
import io.stampedeguard.demo.serve.figures.Second;
import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.testbed.fleet.Message;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PressTest {
    private static final long MANY = 2_000_000;
    private static final long FEW = 4_000;

    private final Press press = new Press(7, 1_000, Action.EXPIRE_HOT, "It expires.", totals(10, 3, 0));

    @Test
    void firstItSaysWhatIsDone() {
        JsonNode told = told(totals(10, 3, 0));

        assertThat(told.get("id").asLong()).isEqualTo(7);
        assertThat(told.get("button").asString()).isEqualTo("Expire the hot key");
        assertThat(told.get("sentence").asString()).isEqualTo("It expires.");
        assertThat(told.get("seconds").asInt()).isZero();
        assertThat(told.get("ended").asBoolean()).isFalse();
    }

    @Test
    void figuresCountSinceThePress() {
        press.sees(sample(MANY, FEW));
        JsonNode told = told(totals(74, 4, 40));

        assertThat(told.get("naive").toString()).isEqualTo("{\"queries\":64,\"stuck\":32,\"slowest\":\"2.0 s\"}");
        assertThat(told.get("guarded").toString()).isEqualTo("{\"queries\":1,\"stuck\":0,\"slowest\":\"4.0 ms\"}");
    }

    @Test
    void atTheEndItSaysWhatCameOfIt() {
        for (int second = 1; second < Action.EXPIRE_HOT.seconds(); second++) {
            assertThat(press.sees(sample(MANY, FEW))).isFalse();
        }
        assertThat(press.sees(sample(MANY, FEW))).isTrue();

        assertThat(ended(totals(74, 4, 40)))
                .isEqualTo("1 query reloaded the hot key for the guarded fleet; 40 calls got a stale value meanwhile.");
    }

    @Test
    void whereTheGuardedFleetIsSlowerASentenceSaysWhy() {
        press.sees(sample(FEW, 2 * FEW));

        assertThat(ended(totals(74, 4, 0)))
                .endsWith(
                        "The slowest guarded call took less than a query: the cores of this machine serve both fleets.");
    }

    @Test
    void whereItQueriesMoreASentenceSaysWhy() {
        press.sees(sample(MANY, FEW));

        assertThat(ended(totals(10, 9, 0)))
                .endsWith("Both fleets draw their keys at random, and callers that are not stuck ask more often.");
    }

    @Test
    void whereItQueriesMoreBecauseItReloadsLaterTheSentenceSaysSo() {
        press.sees(sample(MANY, FEW));

        assertThat(ended(totals(10, 9, 40)))
                .endsWith("The guarded fleet reloads a few stale values at a time, so some of its queries come later.");
    }

    @Test
    void aFleetWithoutAProcessIsNamedToTheEnd() {
        press.sees(sample(MANY, FEW));
        press.lacks("The naive fleet has no process now.");

        assertThat(told(totals(10, 3, 0)).get("sentence").asString())
                .isEqualTo("It expires. The naive fleet has no process now.");
        assertThat(ended(totals(11, 4, 0))).endsWith(". The naive fleet has no process now.");
    }

    @Test
    void twoPressesInOneSecondHaveNoFiguresToCompare() {
        assertThat(ended(totals(10, 3, 0))).isEqualTo("The next button was pressed within the same second.");
    }

    @Test
    void sentencesAreEnglishWhereverItRuns() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.GERMANY);
            press.sees(sample(MANY, FEW));

            assertThat(ended(totals(74, 1_503, 0))).startsWith("1,500 queries reloaded the hot key");
        } finally {
            Locale.setDefault(before);
        }
    }

    private String ended(Map<Side, Tally> now) {
        press.end(now);
        return told(now).get("sentence").asString();
    }

    private JsonNode told(Map<Side, Tally> now) {
        return JsonMapper.shared().readTree(press.json(now).toString());
    }

    private static Map<Side, Tally> totals(long naive, long guarded, long stale) {
        return new EnumMap<>(Map.of(Side.NAIVE, tally(naive, 0), Side.GUARDED, tally(guarded, stale)));
    }

    private static Tally tally(long hotQueries, long stale) {
        Counts counts = new Counts();
        counts.add(Count.HOT_QUERIES, hotQueries);
        counts.add(Count.STALE, stale);
        return Tally.of(counts.moveInto(Message.of("report")));
    }

    private static Sample sample(long naiveMicros, long guardedMicros) {
        return new Sample(
                0, true, false, true, Map.of(Side.NAIVE, second(naiveMicros), Side.GUARDED, second(guardedMicros)));
    }

    private static Second second(long longestMicros) {
        Histogram took = Second.noLatencies();
        took.recordValue(longestMicros);
        return new Second(List.of(ProcessState.FRESH), Tally.ZERO, Tally.ZERO, longestMicros == MANY ? 32 : 0, took);
    }
}
