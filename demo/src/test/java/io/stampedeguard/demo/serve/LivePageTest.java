package io.stampedeguard.demo.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stampedeguard.demo.serve.figures.Side;
import io.stampedeguard.demo.serve.member.Load;
import io.stampedeguard.demo.serve.page.Action;
import io.stampedeguard.demo.serve.stage.LiveStageTest;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** The live page in a real browser, with everything behind it: each button is pressed, and the page's reaction is read. */
@Tag("proof")
@ResourceLock(LiveStageTest.LIVE_FLEETS)
class LivePageTest {
    private static final Duration SOON = Duration.ofMinutes(1);
    private static final Duration LATER = Duration.ofMinutes(2);
    private static final double SLOW_SECONDS = Load.SLOW_WORK_MILLIS / 1_000.0;

    @TempDir
    static Path profile;

    private static LiveDemo demo;
    private static Browser browser;
    private static PageLog log;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(
                Browser.isThere(), "needs chromium and chromedriver on the PATH (Debian: chromium, chromium-driver)");
        demo = LiveDemo.start("127.0.0.1", 0);
        browser = new Browser(profile);
        log = new PageLog(browser);
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
        log.forgetThePast();
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
    void theHotKeyExpiresAndTheLogTellsOfManyQueriesAndOfOne() {
        long stale = browser.number("#guarded [data-count=stale]");

        browser.button("expire-hot").click();

        log.tells("The hot key expires");
        String line = log.tells("The hot key expired: naive");
        long naive = PageLog.queries(line, Side.NAIVE);
        long guarded = PageLog.queries(line, Side.GUARDED);
        while (naive <= 2 * guarded) { // on a slow machine, few callers of a process may be quick enough
            line = hotKeyExpires();
            naive += PageLog.queries(line, Side.NAIVE);
            guarded += PageLog.queries(line, Side.GUARDED);
        }
        assertThat(browser.number("#guarded [data-count=stale]")).isGreaterThan(stale);
    }

    @Test
    void theContrastLineStatesTheFiguresOfTheLog() {
        browser.button("expire-hot").click();

        String line = log.tells("The hot key expired: naive");
        await().atMost(SOON)
                .until(() -> browser.text("#contrast-of")
                        .equals("The hot key expired: naive → guarded, queries and slowest call, 4 of 4 s"));
        assertThat(browser.text("#contrast-line"))
                .isEqualTo(String.format(
                        Locale.ROOT,
                        "%,d → %,d queries, %s → %s",
                        PageLog.queries(line, Side.NAIVE),
                        PageLog.queries(line, Side.GUARDED),
                        PageLog.slowest(line, Side.NAIVE),
                        PageLog.slowest(line, Side.GUARDED)));
    }

    @Test
    void loadsSavedAreShownForTheGuardedFleetOnly() {
        assertThat(browser.number("#guarded [data-count=saved]")).isGreaterThanOrEqualTo(0);
        assertThat(browser.driver()
                        .findElements(By.cssSelector("#naive [data-count=saved], #naive [data-count=stale]")))
                .isEmpty();
    }

    /**
     * No key expires twice by itself within these seconds, so more queries than that causes show that both fleets
     * obeyed.
     */
    @Test
    void allKeysExpireByTheKeyboard() {
        int keys = Load.keys().size();

        String once = allKeysExpire();
        String again = allKeysExpire();

        assertThat(PageLog.queries(once, Side.NAIVE) + PageLog.queries(again, Side.NAIVE))
                .as("%s%n%s", once, again)
                .isGreaterThan(keys + Load.PROCESSES * Load.CALLERS);
        assertThat(PageLog.queries(once, Side.GUARDED) + PageLog.queries(again, Side.GUARDED))
                .as("%s%n%s", once, again)
                .isGreaterThan(keys);
    }

    private static String allKeysExpire() {
        log.forget();
        browser.button("expire-all").sendKeys(Keys.ENTER);
        log.tells("All 61 keys expire at once");
        return log.tells("All keys expired: naive");
    }

    @Test
    void nonexistentKeysReachTheDatabaseOfTheNaiveFleetOnly() {
        browser.button("send-nonexistent-keys").sendKeys(Keys.SPACE);

        log.tells("For 10 s, callers also request products that do not exist");
        String line = log.tells("Nonexistent keys: naive");
        long naive = PageLog.queries(line, Side.NAIVE);
        long guarded = PageLog.queries(line, Side.GUARDED);
        while (naive <= 50) { // on a slow machine
            log.forget();
            browser.button("send-nonexistent-keys").click();
            line = log.tells("Nonexistent keys: naive");
            naive += PageLog.queries(line, Side.NAIVE);
            guarded += PageLog.queries(line, Side.GUARDED);
        }
        // The filter lets about one in a hundred pass.
        assertThat(guarded).as(line).isLessThan(naive / 4);
    }

    @Test
    void theDatabaseIsMadeSlowAndQuickAgain() {
        slowestNaiveSecondsWhenTheHotKeyExpires(); // the first stampede of a process may be as slow anyway
        browser.button("slow-database").click();

        log.tells("The database is slow now: 2,000 ms a query");
        buttonSays("slow-database", "Make the database fast");
        assertThat(slowestNaiveSecondsWhenTheHotKeyExpires()).isGreaterThanOrEqualTo(SLOW_SECONDS);
        assertThat(browser.text("#naive [data-count=slowest]")).matches("([2-9]|\\d\\d+)\\.\\d s");

        browser.button("slow-database").sendKeys(Keys.SPACE);

        log.tells("The database is fast again");
        buttonSays("slow-database", "Make the database slow");
        log.tells("Fast database: naive");
        // Never, if the database were still slow; and not at once on a slow machine.
        await().atMost(LATER).until(() -> slowestNaiveSecondsWhenTheHotKeyExpires() < SLOW_SECONDS);
    }

    /** This shows that the processes obey; what the page shows about the database does not depend on them. */
    private static double slowestNaiveSecondsWhenTheHotKeyExpires() {
        return PageLog.slowestSeconds(hotKeyExpires(), Side.NAIVE);
    }

    private static String hotKeyExpires() {
        log.forget();
        browser.button("expire-hot").click();
        return log.tells("The hot key expired: naive");
    }

    @Test
    void aProcessOfEachFleetIsKilledAndReplaced() {
        browser.button("kill-process").click();

        log.tells("A process of each fleet is killed");
        await().atMost(SOON)
                .until(() -> browser.number("#naive [data-count=processes]") == 1
                        && browser.number("#guarded [data-count=processes]") == 1);
        await().atMost(LATER)
                .until(() -> browser.number("#naive [data-count=processes]") == 2
                        && browser.number("#guarded [data-count=processes]") == 2);
    }

    @Test
    void redisIsStoppedAndStartedAndCallersGetTheirAnswersMeanwhile() {
        browser.button("stop-redis").sendKeys(Keys.ENTER);

        log.tells("Redis is stopped");
        buttonSays("stop-redis", "Start Redis");
        browser.button("expire-hot").click();
        log.tells("there is no key that could expire");
        long calls = browser.number("#guarded [data-count=calls]");
        await().atMost(SOON).until(() -> browser.number("#guarded [data-count=calls]") > calls + 50);

        browser.button("stop-redis").click();

        log.tells("Redis runs again, and is empty");
        buttonSays("stop-redis", "Stop Redis");
        log.tells("Redis started: naive");
    }

    @Test
    void whereNoProcessIsLeftTheLogSaysSoAndTheFilterIsBuiltByTheNextOne() {
        for (int i = 0; i <= Load.PROCESSES; i++) {
            browser.button("kill-process").click();
        }
        browser.button("stop-redis").click();
        buttonSays("stop-redis", "Start Redis");
        browser.button("stop-redis").click();

        log.tells("The guarded fleet has no process now: nothing is left to kill there.");
        await().atMost(SOON)
                .until(() -> browser.number("#naive [data-count=processes]") == 0
                        && browser.number("#guarded [data-count=processes]") == 0);
        log.tells("Redis runs again, and is empty");
        await().atMost(LATER)
                .until(() -> browser.number("#naive [data-count=processes]") == 2
                        && browser.number("#guarded [data-count=processes]") == 2);
        long before = log.linesWith("Nonexistent keys: naive");
        browser.button("send-nonexistent-keys").click();
        await().atMost(LATER).until(() -> log.linesWith("Nonexistent keys: naive") > before);
        String line = log.tells("Nonexistent keys: naive");
        assertThat(PageLog.queries(line, Side.GUARDED)).as(line).isLessThan(PageLog.queries(line, Side.NAIVE) / 4);
    }

    @Test
    void twoWhoStopRedisAtOnceDoNotStartIt() {
        long stopped = log.linesWith("Redis is stopped");
        long started = log.linesWith("Redis runs again");

        browser.script(
                "const stop = document.querySelector('button[data-act=stop-redis]'); stop.click(); stop.click()");

        buttonSays("stop-redis", "Start Redis");
        browser.button("stop-redis").click();
        buttonSays("stop-redis", "Stop Redis");
        assertThat(log.linesWith("Redis is stopped")).isEqualTo(stopped + 1);
        assertThat(log.linesWith("Redis runs again")).isEqualTo(started + 1);
    }

    @Test
    void eachActionHasAButton() {
        assertThat((List<?>) browser.script("return [...document.querySelectorAll('button')]"
                        + ".flatMap(button => [button.dataset.act, button.dataset.back]).filter(act => act)"))
                .map(Object::toString)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(Action.values()).map(Action::toString).toList());
    }

    @Test
    void aPhoneNeedsNoSidewaysScroll() {
        browser.size(360, 740, 2, true);

        await().atMost(SOON).until(() -> browser.script("return innerWidth").equals(360L));
        assertThat((Long) browser.script("return document.documentElement.scrollWidth"))
                .isLessThanOrEqualTo(360);
        assertThat(browser.script("return [...document.querySelectorAll('canvas, button, .side, dd')]"
                        + ".every(part => part.getBoundingClientRect().right <= 360)"))
                .isEqualTo(true);
    }

    @ParameterizedTest
    @CsvSource({"1280, 800, false", "390, 844, true"})
    void theFirstScreenShowsTheFleetsAndTheChart(int width, int height, boolean phone) {
        browser.size(width, height, 1, phone);
        await().atMost(SOON).until(() -> browser.script("return innerWidth").equals((long) width));
        browser.button("expire-hot").click();
        await().atMost(SOON).until(() -> browser.text("#contrast-line").contains(" queries, "));

        browser.script("scrollTo(0, 0); document.getElementById('caption').textContent ="
                + " TOUR.map(step => step.text).reduce((one, other) => one.length > other.length ? one : other)");

        assertThat(
                        browser.script(
                                "return ['#contrast-line', '#caption', '#naive', '#guarded', '#chart canvas', '#tour']"
                                        + ".filter(part => {"
                                        + " const box = document.querySelector(part).getBoundingClientRect();"
                                        + " return box.top < 0 || box.bottom > innerHeight || box.right > innerWidth || box.height === 0; })"))
                .isEqualTo(List.of());
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
                .hasSize(8)
                .allSatisfy(button -> assertThat(button.getAccessibleName()).isNotBlank());
        assertThat(browser.driver().findElements(By.cssSelector("canvas[role=img][aria-label]")))
                .hasSize(4);
        assertThat(browser.driver().findElement(By.id("log")).getAriaRole()).isEqualTo("log");
    }

    @Test
    void theCurvesOfBothFleetsAreOnOneChart() {
        assertThat(browser.script("return Chart.getChart(document.querySelector('#chart canvas'))"
                        + ".data.datasets.map(set => set.label + ' ' + (set.data.length > 0))"))
                .isEqualTo(List.of("naive true", "guarded true"));
    }

    private static void buttonSays(String act, String text) {
        await().atMost(SOON).until(() -> browser.button(act).getText().equals(text));
    }
}
