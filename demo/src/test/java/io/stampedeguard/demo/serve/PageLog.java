package io.stampedeguard.demo.serve;

import static org.awaitility.Awaitility.await;

import io.stampedeguard.demo.serve.figures.Side;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The new lines of the page's log, and the numbers in them. For one thread. */
final class PageLog {
    private static final Duration SOON = Duration.ofMinutes(1);
    private static final Duration LATER = Duration.ofMinutes(2);
    private static final double MILLIS_PER_SECOND = 1_000;

    private final Browser browser;

    PageLog(Browser browser) {
        this.browser = browser;
    }

    /** To be called when the page was opened: existing lines then do not count as new. */
    void forgetThePast() {
        // From now on lines are read out, so the past ones are there.
        await().atMost(SOON)
                .until(() -> "polite".equals(browser.script("return document.getElementById('log').ariaLive")));
        forget();
    }

    /** Existing lines no longer count as new. */
    void forget() {
        browser.script("document.querySelectorAll('#log p').forEach(line => line.className = 'past')");
    }

    /** Waits for a new line that contains the text. */
    String tells(String text) {
        return await().atMost(LATER)
                .until(
                        () -> lines().filter(line -> line.contains(text))
                                .findFirst()
                                .orElse(""),
                        line -> !line.isEmpty());
    }

    long linesWith(String text) {
        return lines().filter(line -> line.contains(text)).count();
    }

    /** Returns the new lines, the last one first. */
    private Stream<String> lines() {
        return ((List<?>) browser.script(
                        "return [...document.querySelectorAll('#log p:not(.past)')].map(line => line.innerText)"))
                .stream().map(Object::toString);
    }

    /** Returns the number of queries of a fleet in such a line. */
    static long queries(String line, Side side) {
        return Long.parseLong(
                find("\\b" + side + " ([\\d,]+) quer", line).group(1).replace(",", ""));
    }

    /** Returns how long the slowest call of a fleet took according to such a line, with its unit. */
    static String slowest(String line, Side side) {
        return find("\\b" + side + " [^—]*slowest call ([\\d.]+ m?s)\\b", line).group(1);
    }

    /** Returns how long the slowest call of a fleet took according to such a line. */
    static double slowestSeconds(String line, Side side) {
        Matcher found = find("([\\d.]+) (m?s)", slowest(line, side));
        double number = Double.parseDouble(found.group(1));
        return found.group(2).equals("s") ? number : number / MILLIS_PER_SECOND;
    }

    private static Matcher find(String pattern, String line) {
        Matcher matcher = Pattern.compile(pattern).matcher(line);
        if (!matcher.find()) {
            throw new AssertionError("no " + pattern + " in: " + line);
        }
        return matcher;
    }
}
