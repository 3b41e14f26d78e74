package io.stampedeguard.demo.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** The live page in a real browser, with all that is behind it: each button is pressed, and what the page then shows is read. */
class LivePageTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration LATER = Duration.ofSeconds(60);

    @TempDir
    static Path profile;

    private static LiveDemo demo;
    private static Browser browser;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(
                Browser.isThere(), "needs chromium and chromedriver on the PATH (Debian: chromium, chromium-driver)");
        demo = LiveDemo.start("127.0.0.1", 0);
        browser = new Browser(profile);
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
        // From now on lines are read out, that is, those of the past are there, which are of other tests.
        await().atMost(SOON)
                .until(() -> "polite".equals(browser.script("return document.getElementById('log').ariaLive")));
        browser.script("document.querySelectorAll('#log p').forEach(line => line.className = 'past')");
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

        logTells("The hot key expires");
        String line = logTells("The hot key expired: naive");
        assertThat(queries(line, "naive")).as(line).isGreaterThan(queries(line, "guarded"));
        assertThat(browser.number("#guarded [data-count=stale]")).isGreaterThan(stale);
        assertThat(browser.number("#naive [data-count=stale]")).isZero();
        assertThat(browser.number("#naive [data-count=saved]")).isZero();
    }

    @Test
    void allKeysExpireByTheKeyboard() {
        long naive = browser.number("#naive [data-count=queries]");
        long guarded = browser.number("#guarded [data-count=queries]");

        browser.button("expire-all").sendKeys(Keys.ENTER);

        logTells("All 61 keys expire at once");
        logTells("All keys expired: naive");
        assertThat(browser.number("#naive [data-count=queries]")).isGreaterThan(naive);
        assertThat(browser.number("#guarded [data-count=queries]")).isGreaterThan(guarded);
    }

    @Test
    void madeUpKeysReachTheDatabaseOfTheNaiveFleetOnly() {
        browser.button("make-keys-up").sendKeys(Keys.SPACE);

        logTells("For 10 s somebody asks for products that do not exist");
        String line = logTells("Made-up keys: naive");
        assertThat(queries(line, "naive")).as(line).isGreaterThan(50);
        // The filter lets about one in a hundred pass.
        assertThat(queries(line, "guarded")).as(line).isLessThan(queries(line, "naive") / 4);
    }

    @Test
    void theDatabaseIsMadeSlowAndQuickAgain() {
        browser.button("slow-database").click();

        logTells("The database is slow now: 2,000 ms a query");
        buttonSays("slow-database", "Make the database quick");

        browser.button("slow-database").sendKeys(Keys.SPACE);

        logTells("The database is as quick as before");
        buttonSays("slow-database", "Make the database slow");
        logTells("Quick database: naive");
    }

    @Test
    void aProcessOfEachFleetIsKilledAndReplaced() {
        browser.button("kill-process").click();

        logTells("A process of each fleet is killed");
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

        logTells("Redis is stopped");
        buttonSays("stop-redis", "Start Redis");
        browser.button("expire-hot").click();
        logTells("there is nothing that could expire");
        long calls = browser.number("#guarded [data-count=calls]");
        await().atMost(SOON).until(() -> browser.number("#guarded [data-count=calls]") > calls + 50);

        browser.button("stop-redis").click();

        logTells("Redis runs again, and is empty");
        buttonSays("stop-redis", "Stop Redis");
        logTells("Redis started: naive");
    }

    @Test
    void whereNoProcessIsLeftTheLogSaysSoAndTheFilterIsBuiltByTheNextOne() {
        for (int i = 0; i <= Load.PROCESSES; i++) {
            browser.button("kill-process").click();
        }
        browser.button("stop-redis").click();
        buttonSays("stop-redis", "Start Redis");
        browser.button("stop-redis").click();

        logTells("The guarded fleet has no process now: nothing is left to kill there.");
        await().atMost(SOON)
                .until(() -> browser.number("#naive [data-count=processes]") == 0
                        && browser.number("#guarded [data-count=processes]") == 0);
        logTells("Redis runs again, and is empty");
        await().atMost(LATER)
                .until(() -> browser.number("#naive [data-count=processes]") == 2
                        && browser.number("#guarded [data-count=processes]") == 2);
        long before = linesWith("Made-up keys: naive");
        browser.button("make-keys-up").click();
        await().atMost(LATER).until(() -> linesWith("Made-up keys: naive") > before);
        String line = logTells("Made-up keys: naive");
        assertThat(queries(line, "guarded")).as(line).isLessThan(queries(line, "naive") / 4);
    }

    @Test
    void twoWhoStopRedisAtOnceDoNotStartIt() {
        long stopped = linesWith("Redis is stopped");
        long started = linesWith("Redis runs again");

        browser.script(
                "const stop = document.querySelector('button[data-act=stop-redis]'); stop.click(); stop.click()");

        buttonSays("stop-redis", "Start Redis");
        browser.button("stop-redis").click();
        buttonSays("stop-redis", "Stop Redis");
        assertThat(linesWith("Redis is stopped")).isEqualTo(stopped + 1);
        assertThat(linesWith("Redis runs again")).isEqualTo(started + 1);
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
    void aPhoneShowsOneColumnAndNeedsNoSidewaysScroll() {
        browser.size(360, 740, 2, true);

        await().atMost(SOON).until(() -> browser.script("return innerWidth").equals(360L));
        assertThat((Long) browser.script("return document.documentElement.scrollWidth"))
                .isLessThanOrEqualTo(360);
        assertThat(browser.script("const box = id => document.getElementById(id).getBoundingClientRect();"
                        + "return box('guarded').top >= box('naive').bottom && box('guarded').right <= 360"))
                .isEqualTo(true);
        assertThat(browser.script("return [...document.querySelectorAll('canvas, button')]"
                        + ".every(part => part.getBoundingClientRect().right <= 360)"))
                .isEqualTo(true);
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
        // The charts hear of it with the next frame.
        String line = "return Chart.getChart(document.querySelector('canvas')).data.datasets[0].borderColor";
        await().atMost(SOON).until(() -> "#fb923c".equals(browser.script(line)));
    }

    @Test
    void aReaderOfScreensIsToldWhatButtonsAndChartsAre() {
        assertThat(browser.driver().findElements(By.cssSelector("button")))
                .hasSize(6)
                .allSatisfy(button -> assertThat(button.getAccessibleName()).isNotBlank());
        assertThat(browser.driver().findElements(By.cssSelector("canvas[role=img][aria-label]")))
                .hasSize(8);
        assertThat(browser.driver().findElement(By.id("log")).getAriaRole()).isEqualTo("log");
    }

    @Test
    void bothChartsOfAMeasureHaveTheSameScale() {
        assertThat(browser.script("return [...document.querySelectorAll('.pair')].every(pair => {"
                        + "const [one, other] = [...pair.querySelectorAll('canvas')]"
                        + ".map(canvas => Chart.getChart(canvas).scales.y.max);"
                        + "return one > 0 && one === other; })"))
                .isEqualTo(true);
    }

    private static String logTells(String text) {
        return await().atMost(LATER)
                .until(
                        () -> newLines()
                                .filter(line -> line.contains(text))
                                .findFirst()
                                .orElse(""),
                        line -> !line.isEmpty());
    }

    private static long linesWith(String text) {
        return newLines().filter(line -> line.contains(text)).count();
    }

    /** Tells the lines that have come since the page was opened, the last one first. */
    private static Stream<String> newLines() {
        return ((List<?>) browser.script(
                        "return [...document.querySelectorAll('#log p:not(.past)')].map(line => line.innerText)"))
                .stream().map(Object::toString);
    }

    private static void buttonSays(String act, String text) {
        await().atMost(SOON).until(() -> browser.button(act).getText().equals(text));
    }

    private static long queries(String line, String side) {
        return Long.parseLong(
                line.replaceFirst(".*\\b" + side + " ([\\d,]+) quer.*", "$1").replace(",", ""));
    }
}
