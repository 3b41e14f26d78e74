package io.stampedeguard.demo.report;

import io.stampedeguard.demo.measure.Figures;
import java.util.function.Function;

/**
 * The two figures by which a scenario is judged, each with the same words for every mode. <em>Immutable.</em>
 *
 * @param first names the situation, and returns its cost
 * @param second another figure, or the price
 */
public record Verdict(Line first, Line second) {
    /** A label of at most twenty characters, and the figure of a mode in at most twenty-one, for the guarded side twenty-three. */
    public record Line(String label, Function<Figures, String> figure) {}

    public static Verdict of(
            String first, Function<Figures, String> figure, String second, Function<Figures, String> other) {
        return new Verdict(new Line(first, figure), new Line(second, other));
    }
}
