package io.stampedeguard.demo.serve;

import static org.awaitility.Awaitility.await;

import io.stampedeguard.demo.serve.figures.Side;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The new presses in the page's table of results. For one thread. */
final class PageResults {
    private static final Duration SOON = Duration.ofMinutes(1);
    private static final Duration LATER = Duration.ofMinutes(2);
    private static final double MILLIS_PER_SECOND = 1_000;

    private static final String NEW =
            "return [...document.querySelectorAll('#results tbody:not(.past)')].map(press => ["
                    + "press.dataset.ended, press.querySelector('th').innerText, press.querySelector('.sentence').innerText,"
                    + "...[...press.querySelectorAll('td.naive, td.guarded')].map(cell => cell.innerText)])";

    private final Browser browser;

    PageResults(Browser browser) {
        this.browser = browser;
    }

    /** A press: the figures are naive and guarded queries, and naive and guarded slowest calls, or none. */
    record Result(boolean ended, String button, String sentence, List<String> figures) {
        private static Result of(List<?> cells) {
            List<String> texts = cells.stream().map(Object::toString).toList();
            return new Result(texts.get(0).equals("true"), texts.get(1), texts.get(2), texts.subList(3, texts.size()));
        }

        long queries(Side side) {
            return Long.parseLong(figures.get(side.ordinal()).replace(",", ""));
        }

        String slowest(Side side) {
            return figures.get(Side.values().length + side.ordinal());
        }

        double slowestSeconds(Side side) {
            String[] words = slowest(side).split(" ");
            double number = Double.parseDouble(words[0]);
            return words[1].equals("s") ? number : number / MILLIS_PER_SECOND;
        }
    }

    /** To be called when the page was opened: existing results then do not count as new. */
    void forgetThePast() {
        // From now on sentences are read out, so the past results are there.
        await().atMost(SOON)
                .until(() -> "polite".equals(browser.script("return document.getElementById('sentence').ariaLive")));
        forget();
    }

    /** Existing results no longer count as new. */
    void forget() {
        browser.script("document.querySelectorAll('#results tbody').forEach(press => press.className = 'past')");
    }

    /** Waits for the last new press of a button. */
    Result begun(String button) {
        return await().atMost(LATER)
                .until(() -> last(button), Optional::isPresent)
                .orElseThrow();
    }

    /** Waits until the effect of the last new press of a button was measured. */
    Result ended(String button) {
        return await().atMost(LATER)
                .until(() -> last(button).filter(Result::ended), Optional::isPresent)
                .orElseThrow();
    }

    long presses(String button) {
        return all().stream().filter(result -> result.button().equals(button)).count();
    }

    private Optional<Result> last(String button) {
        return all().stream().filter(result -> result.button().equals(button)).findFirst();
    }

    /** Returns the new results, the last one first. */
    private List<Result> all() {
        return ((List<?>) browser.script(NEW))
                .stream().map(cells -> Result.of((List<?>) cells)).toList();
    }
}
