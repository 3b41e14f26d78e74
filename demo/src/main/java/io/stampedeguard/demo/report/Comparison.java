package io.stampedeguard.demo.report;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.measure.Mode;
import java.util.List;

/**
 * Lines with the figures of both sides, at most 80 columns wide. The two sides are colored if wanted. <em>Immutable.</em>
 */
public final class Comparison {
    private static final String PLAIN = "\u001B[31m";
    private static final String GUARDED = "\u001B[32m";
    private static final String NORMAL = "\u001B[0m";
    private static final int FEWEST_SPACES = 2;
    private static final int PLAIN_WIDTH = 20;

    private final boolean colored;

    public Comparison(boolean colored) {
        this.colored = colored;
    }

    /** Returns the titles of the two columns. */
    public String titles() {
        return line("", "", "plain cache-aside", "StampedeGuardedCache");
    }

    /** Returns the two lines of a scenario, in which mode plain is compared with {@code guard}. */
    public String of(int number, String scenario, Verdict verdict, Mode guard, List<Figures> all) {
        Verdict.Line first = verdict.first();
        Verdict.Line second = verdict.second();
        return line(number + " " + scenario, first.label(), text(first, Mode.PLAIN, all), text(first, guard, all))
                + System.lineSeparator()
                + line("", second.label(), text(second, Mode.PLAIN, all), text(second, guard, all));
    }

    private static String text(Verdict.Line line, Mode mode, List<Figures> all) {
        return all.stream()
                .filter(figures -> figures.mode() == mode)
                .map(line.figure())
                .findFirst()
                .orElse("not run");
    }

    String line(String name, String label, String plain, String guarded) {
        String padding = " ".repeat(Math.max(FEWEST_SPACES, PLAIN_WIDTH - plain.length()));
        return "  %-14s%-21s".formatted(name, label) + color(PLAIN, plain) + padding + color(GUARDED, guarded);
    }

    private String color(String color, String text) {
        return colored ? color + text + NORMAL : text;
    }
}
