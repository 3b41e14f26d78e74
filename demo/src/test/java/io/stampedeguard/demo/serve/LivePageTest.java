package io.stampedeguard.demo.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stampedeguard.demo.ServedDemo;
import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.demo.serve.member.Load;
import io.stampedeguard.demo.serve.page.Action;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The live page in a real browser, with everything behind it: each button is pressed, and the page's reaction is read. */
@Tag("proof")
@Order(1)
class LivePageTest {
    private static final Duration SOON = Duration.ofMinutes(1);
    private static final Duration LATER = Duration.ofMinutes(2);
    /** That of a press of two causes, and a reason. */
    private static final String LONGEST_SENTENCE =
            "The killed process held the lease, and guarded-1 took it over 2.1 s later; 1,234 calls got a stale value meanwhile."
                    + " The slowest guarded call took less than a query: the cores of this machine serve both fleets.";

    private static final double SLOW_SECONDS = Load.SLOW_WORK_MILLIS / 1_000.0;

    @TempDir
    static Path profile;

    @TempDir
    static Path directory;

    private static ServedDemo demo;
    private static Browser browser;
    private static PageResults results;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(
                Browser.isThere(), "needs chromium and chromedriver on the PATH (Debian: chromium, chromium-driver)");
        demo = ServedDemo.start(directory);
        browser = new Browser(profile);
        results = new PageResults(browser);
    }

    @AfterAll
    static void end() {
        if (browser != null) {
            browser.close();
        }
        if (demo != null) {
            demo.close();
        }
    }

    @BeforeEach
    void open() {
        browser.size(1_200, 900, 1, false);
        browser.prefer("light");
        browser.open(demo.url());
        await().atMost(SOON).until(() -> browser.number("#guarded [data-count=calls]") > 0);
        results.forgetThePast();
    }

    @AfterEach
    void nothingIsAskedOfOthersAndNothingComplainedOf() {
        assertThat(browser.complaints()).isEmpty();
        assertThat(browser.hostsAsked()).containsExactly(URI.create(demo.url()).getAuthority());
    }

    @Test
    void callsRiseOnBothSidesByThemselves() {
        long naive = browser.number("#naive [data-count=calls]");
        long guarded = browser.number("#guarded [data-count=calls]");

        await().atMost(SOON).until(() -> browser.number("#naive [data-count=calls]") > naive + 50);
        await().atMost(SOON).until(() -> browser.number("#guarded [data-count=calls]") > guarded + 50);
    }

    @Test
    void theHotKeyExpiresWithManyQueriesAndWithOne() {
        long stale = browser.number("#guarded [data-count=stale]");

        browser.button("expire-hot").click();

        assertThat(results.begun("Expire the hot key").sentence()).startsWith("The hot key expires");
        PageResults.Result result = results.ended("Expire the hot key");
        long naive = result.queries(Side.NAIVE);
        long guarded = result.queries(Side.GUARDED);
        while (naive <= 2 * guarded) { // on a slow machine, few callers of a process may be quick enough
            result = hotKeyExpires();
            naive += result.queries(Side.NAIVE);
            guarded += result.queries(Side.GUARDED);
        }
        assertThat(browser.number("#guarded [data-count=stale]")).isGreaterThan(stale);
    }

    @Test
    void theLastPressIsComparedWithTheNamesAboveTheFigures() {
        PageResults.Result result = hotKeyExpires();

        await().atMost(SOON).until(() -> browser.text("#contrast-of").equals("Expire the hot key, 4 s:"));
        assertThat(browser.text("#sentence")).isEqualTo(result.sentence());
        assertThat(browser.text("[data-duel=queries]").lines())
                .containsExactly(
                        "naive",
                        Long.toString(result.queries(Side.NAIVE)),
                        "vs",
                        "guarded",
                        Long.toString(result.queries(Side.GUARDED)),
                        "queries");
        assertThat(browser.text("[data-duel=slowest] b.naive")).isEqualTo(result.slowest(Side.NAIVE));
        assertThat(browser.text("[data-duel=slowest] b.guarded")).isEqualTo(result.slowest(Side.GUARDED));
    }

    @Test
    void loadsSavedAreShownForTheGuardedFleetOnly() {
        assertThat(browser.number("#guarded [data-count=saved]")).isGreaterThanOrEqualTo(0);
        assertThat(browser.driver()
                        .findElements(By.cssSelector("#naive [data-count=saved], #naive [data-count=stale]")))
                .isEmpty();
    }

    @Test
    void theSlowestCallSaysHowLongAgoItWas() {
        assertThat(browser.text("#naive [data-age]")).matches("slowest call, \\d+ s ago");
        assertThat(browser.text("#guarded [data-age]")).matches("slowest call, \\d+ s ago");
    }

    /** The naive fleet queries a key for several callers, the guarded one each key that was requested once. */
    @Test
    void allKeysExpireByTheKeyboard() {
        PageResults.Result once = allKeysExpire();
        PageResults.Result again = allKeysExpire();

        assertThat(once.queries(Side.NAIVE) + again.queries(Side.NAIVE))
                .as("%s%n%s", once, again)
                .isGreaterThan(Load.PROCESSES * Load.CALLERS);
        assertThat(once.queries(Side.GUARDED) + again.queries(Side.GUARDED))
                .as("%s%n%s", once, again)
                .isBetween((long) Load.keys().size() / 2, 2L * Load.keys().size());
    }

    private static PageResults.Result allKeysExpire() {
        results.forget();
        browser.button("expire-all").sendKeys(Keys.ENTER);
        assertThat(results.begun("Expire all keys").sentence()).startsWith("All 61 keys expire at once");
        return results.ended("Expire all keys");
    }

    @Test
    void nonexistentKeysReachTheDatabaseOfTheNaiveFleetOnly() {
        browser.button("send-nonexistent-keys").sendKeys(Keys.SPACE);

        PageResults.Result result = results.ended("Nonexistent keys");
        long naive = result.queries(Side.NAIVE);
        long guarded = result.queries(Side.GUARDED);
        while (naive <= 50) { // on a slow machine
            result = nonexistentKeys();
            naive += result.queries(Side.NAIVE);
            guarded += result.queries(Side.GUARDED);
        }
        // The filter lets about one in a hundred pass.
        assertThat(guarded).as(result.toString()).isLessThan(naive / 4);
    }

    private static PageResults.Result nonexistentKeys() {
        results.forget();
        browser.button("send-nonexistent-keys").click();
        return results.ended("Nonexistent keys");
    }

    @Test
    void theDatabaseIsMadeSlowAndFastAgain() {
        hotKeyExpires(); // the first stampede of a process may be as slow anyway
        browser.button("slow-database").click();

        PageResults.Result slow = results.ended("Slow database");
        buttonSays("slow-database", "Fast database");
        assertThat(slow.slowestSeconds(Side.NAIVE)).isGreaterThanOrEqualTo(SLOW_SECONDS);
        assertThat(slow.sentence()).containsPattern("Naive: [1-9]\\d* of 64 callers stuck\\. Guarded: \\d+ of 64");
        assertThat(browser.text("#naive [data-count=slowest]")).matches("([2-9]|\\d\\d+)\\.\\d s");

        browser.button("slow-database").sendKeys(Keys.SPACE);

        results.ended("Fast database");
        buttonSays("slow-database", "Slow database");
        // Never, if the database were still slow; and not at once on a slow machine.
        await().atMost(LATER).until(() -> hotKeyExpires().slowestSeconds(Side.NAIVE) < SLOW_SECONDS);
    }

    private static PageResults.Result hotKeyExpires() {
        results.forget();
        browser.button("expire-hot").click();
        return results.ended("Expire the hot key");
    }

    @Test
    void aProcessIsKilledWhileItLoadsAndAnotherOneTakesOver() {
        PageResults.Result result = processKilled();
        while (!result.sentence().contains("held the lease")) { // on a slow machine, its load may have ended
            result = processKilled();
        }
        assertThat(result.sentence())
                .containsPattern("held the lease, and guarded-[12] took it over \\d+\\.\\d s later");
        assertThat(result.queries(Side.GUARDED)).isGreaterThanOrEqualTo(2);
    }

    private static PageResults.Result processKilled() {
        results.forget();
        browser.button("kill-process").click();
        await().atMost(SOON)
                .until(() -> browser.number("#naive [data-count=processes]") == 1
                        && browser.number("#guarded [data-count=processes]") == 1);
        PageResults.Result result = results.ended("Kill a process");
        await().atMost(LATER)
                .until(() -> browser.number("#naive [data-count=processes]") == 2
                        && browser.number("#guarded [data-count=processes]") == 2);
        return result;
    }

    @Test
    void redisIsStoppedAndStartedAndNearCopiesAnswerMeanwhile() {
        browser.button("stop-redis").sendKeys(Keys.ENTER);

        assertThat(results.ended("Stop Redis").sentence())
                .containsPattern(
                        "callers stuck: each call is a query\\..* copies in memory answered [1-9][\\d,]* calls");
        buttonSays("stop-redis", "Start Redis");
        browser.button("expire-hot").click();
        assertThat(results.begun("Expire the hot key").sentence())
                .isEqualTo("Redis is stopped: there is no key that could expire.");

        browser.button("stop-redis").click();

        buttonSays("stop-redis", "Stop Redis");
        PageResults.Result started = results.ended("Start Redis");
        assertThat(started.sentence())
                .containsPattern("filled Redis again; copies in memory answered [1-9][\\d,]* calls");
        assertThat(started.queries(Side.GUARDED)).isPositive();
    }

    @Test
    void theNearCacheIsSwitchedByTheKeyboard() {
        WebElement near = browser.button("near-cache-off");
        assertThat(near.getAriaRole()).isEqualTo("switch");
        near.sendKeys(Keys.SPACE);

        results.begun("Near cache off");
        await().atMost(SOON).until(() -> "false".equals(near.getDomAttribute("aria-checked")));

        near.sendKeys(Keys.SPACE);

        results.begun("Near cache on");
        await().atMost(SOON).until(() -> "true".equals(near.getDomAttribute("aria-checked")));
    }

    @Test
    void emptyFleetsAreReportedAndTheNextProcessBuildsTheFilter() {
        browser.button("stop-redis").click(); // without Redis, no process takes the place of another
        buttonSays("stop-redis", "Start Redis");
        for (int i = 0; i <= Load.PROCESSES; i++) {
            browser.button("kill-process").click();
        }
        await().atMost(SOON).until(() -> results.presses("Kill a process") > Load.PROCESSES);
        assertThat(results.ended("Kill a process").sentence())
                .contains("The guarded fleet has no process now: nothing is left to kill there.");
        browser.button("stop-redis").click();

        results.begun("Start Redis");
        await().atMost(LATER)
                .until(() -> browser.number("#naive [data-count=processes]") == 2
                        && browser.number("#guarded [data-count=processes]") == 2);
        await().atMost(LATER).until(() -> {
            PageResults.Result result = nonexistentKeys();
            return result.queries(Side.GUARDED) < result.queries(Side.NAIVE) / 4;
        });
    }

    @Test
    void twoWhoStopRedisAtOnceDoNotStartIt() {
        browser.script(
                "const stop = document.querySelector('button[data-act=stop-redis]'); stop.click(); stop.click()");

        buttonSays("stop-redis", "Start Redis");
        browser.button("stop-redis").click();
        buttonSays("stop-redis", "Stop Redis");
        assertThat(results.presses("Stop Redis")).isEqualTo(1);
        assertThat(results.presses("Start Redis")).isEqualTo(1);
    }

    @Test
    void eachActionHasAButton() {
        assertThat((List<?>) browser.script("return [...document.querySelectorAll('button')]"
                        + ".flatMap(button => [button.dataset.act, button.dataset.back]).filter(act => act)"))
                .map(Object::toString)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(Action.values()).map(Action::toString).toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {390, 360, 320})
    void aPhoneNeedsNoSidewaysScroll(int width) {
        hotKeyExpires();
        browser.size(width, 740, 2, true);

        await().atMost(SOON).until(() -> browser.script("return innerWidth").equals((long) width));
        // The charts change with the next frames.
        await().atMost(SOON)
                .untilAsserted(() -> assertThat((Long) browser.script("return document.documentElement.scrollWidth"))
                        .isLessThanOrEqualTo(width));
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(browser.script(
                                "return [...document.querySelectorAll('canvas, button, .side, dd, .duel, .strip, table')]"
                                        + ".filter(part => part.getBoundingClientRect().right > innerWidth || part.scrollWidth > part.clientWidth + 1)"
                                        + ".map(part => part.className + part.id + part.tagName)"))
                        .isEqualTo(List.of()));
    }

    @ParameterizedTest
    @CsvSource({"1280, 800, false", "390, 844, true"})
    void theFirstScreenShowsTheFleetsAndTheChart(int width, int height, boolean phone) {
        browser.size(width, height, 1, phone);
        await().atMost(SOON).until(() -> browser.script("return innerWidth").equals((long) width));
        browser.button("expire-hot").click();
        await().atMost(SOON)
                .until(() -> browser.text("[data-duel=queries] b.naive").matches("\\d+"));

        await().atMost(SOON)
                .untilAsserted(() -> assertThat(
                                browser.script(
                                        "scrollTo(0, 0); document.getElementById('sentence').textContent = '"
                                                + LONGEST_SENTENCE
                                                + "'; return ['#figures', '#told', '#naive', '#guarded', '#chart canvas', '#tour']"
                                                + ".filter(part => {"
                                                + " const box = document.querySelector(part).getBoundingClientRect();"
                                                + " return box.top < 0 || box.bottom > innerHeight || box.right > innerWidth || box.height === 0; })"))
                        .isEqualTo(List.of()));
    }

    @Test
    void aMillionCallsFitOnAPhoneInOneLine() {
        browser.size(360, 740, 2, true);
        await().atMost(SOON).until(() -> browser.script("return innerWidth").equals(360L));

        assertThat(browser.script("return [999999, 1234567].map(counted)")).isEqualTo(List.of("999,999", "1.23M"));
        assertThat(browser.script("const cell = document.querySelector('#naive [data-count=calls]');"
                        + "cell.textContent = counted(999999);"
                        + "return cell.scrollWidth <= cell.clientWidth && cell.clientHeight < 40"))
                .isEqualTo(true);
    }

    @Test
    void darkIsDarkAndLightIsLight() {
        String background = "return getComputedStyle(document.body).backgroundColor";
        assertThat(browser.script(background)).isEqualTo("rgb(246, 247, 249)");

        browser.prefer("dark");

        assertThat(browser.script(background)).isEqualTo("rgb(18, 22, 29)");
        // The charts change with the next frame.
        String line = "return Chart.getChart(document.querySelector('canvas')).data.datasets[0].borderColor";
        await().atMost(SOON).until(() -> "#fb923c".equals(browser.script(line)));
    }

    @Test
    void aReaderOfScreensIsToldWhatButtonsAndChartsAre() {
        assertThat(browser.driver().findElements(By.cssSelector("button")))
                .hasSize(9)
                .allSatisfy(button -> assertThat(button.getAccessibleName()).isNotBlank());
        assertThat(browser.driver().findElements(By.cssSelector("canvas[role=img][aria-label]")))
                .hasSize(4);
        assertThat(browser.driver().findElement(By.id("log")).getAriaRole()).isEqualTo("region");
        assertThat(browser.driver().findElement(By.id("sentence")).getAriaRole())
                .isEqualTo("status");
    }

    @Test
    void theCurvesOfBothFleetsAreOnOneChart() {
        assertThat(browser.script("return Chart.getChart(document.querySelector('#chart canvas'))"
                        + ".data.datasets.map(set => set.label + ' ' + (set.data.length > 0))"))
                .isEqualTo(List.of("naive true", "guarded true"));
    }

    private static void buttonSays(String act, String text) {
        await().atMost(SOON)
                .until(() -> browser.text("button[data-act=" + act + "]").equals(text));
    }
}
