package io.stampedeguard.demo.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.demo.serve.page.Action;
import io.stampedeguard.demo.serve.web.PageFile;
import io.stampedeguard.demo.serve.web.Routes;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;

/** The page in a real browser, with a server that may have no room, or be gone. There are no fleets. */
class PageTest extends FleetlessPage {
    @Test
    void thatTheConnectionIsLostIsReadOut() {
        open();
        assertThat(browser.text("#note")).isEmpty();

        web.close();

        noteSays("The connection is lost; trying again …");
        assertThat(browser.driver().findElement(By.id("note")).getAriaRole()).isEqualTo("status");
    }

    @Test
    void oneBrowserTooManySaysSoAndEntersWhenAnotherLeaves() throws IOException {
        List<Socket> others = new ArrayList<>();
        try {
            for (int i = 0; i < Routes.MOST_BROWSERS; i++) {
                others.add(askForEvents());
            }
            await().until(() -> feed.feed().subscribers() == Routes.MOST_BROWSERS);
            browser.open(web.url());
            noteSays("Too many browsers show this page; trying again …");

            others.get(0).close();

            await().until(() -> {
                feed.tell("which shows who is gone");
                return browser.text("#facts").startsWith("Each fleet:");
            });
            assertThat(browser.text("#note")).isEmpty();
        } finally {
            for (Socket other : others) {
                other.close();
            }
        }
    }

    @Test
    void whatWasSaidBeforeIsNotReadOutAndWhatComesIs() {
        feed.tell("long ago");
        open();
        browser.script("window.read = []; const sentence = document.getElementById('sentence');"
                + " new MutationObserver(() => read.push(sentence.ariaLive + ' ' + sentence.textContent))"
                + ".observe(sentence, { childList: true }); connect()");
        await().until(() -> read().contains("off long ago") && sentencesAreRead());

        feed.tell("just now");

        await().until(() -> read().contains("polite just now"));
        assertThat(read()).noneMatch("polite long ago"::equals);
    }

    @Test
    void aSentenceIsReadOutOnceThoughItsFiguresChange() {
        open();
        await().until(this::sentencesAreRead);
        browser.script(
                "window.read = []; const sentence = document.getElementById('sentence');"
                        + " new MutationObserver(() => read.push(sentence.textContent)).observe(sentence, { childList: true })");

        feed.press(1, 1, "5 ms", 0, "1 ms");
        feed.press(2, 64, "2.5 s", 1, "11 ms");

        await().until(() -> browser.text("#contrast-of").equals("Expire all keys, 2 of 4 s:"));
        assertThat(read()).hasSize(1);
    }

    @Test
    void aHiddenPageKeepsNoConnectionAndReconnectsWhenShown() {
        open();
        String page = browser.driver().getWindowHandle();
        browser.driver().switchTo().newWindow(WindowType.TAB);
        await().until(() -> {
            feed.tell("which shows who is gone");
            return feed.feed().subscribers() == 0;
        });

        browser.driver().close();
        browser.driver().switchTo().window(page);

        await().until(() -> browser.text("#results").contains("which shows who is gone"));
        assertThat(feed.feed().subscribers()).isEqualTo(1);
    }

    @Test
    void buttonsAreLockedUntilTheSameTabGetsTheToken() {
        String page = bindWhereATokenIsNeeded();
        browser.open(page);
        noteSays("To press buttons, open the address with the token that was printed at the start.");
        assertThat(buttons()).hasSize(7).noneMatch(WebElement::isEnabled);
        assertThat(tour().isEnabled()).isFalse();

        browser.open(page + "#token=" + web.token());

        await().until(() -> buttons().stream().allMatch(WebElement::isEnabled));
        noteSays("");
        browser.button("kill-process").click();
        await().until(() -> !pressed.isEmpty());
        assertThat(pressed).containsExactly(Action.KILL_PROCESS);
        assertThat(browser.text("#note")).isEmpty();
    }

    @Test
    void pressesReportAWrongTokenUntilTheRightOneReplacesIt() {
        String page = bindWhereATokenIsNeeded();
        browser.open(page + "#token=of-yesterday");
        await().until(() -> browser.button("expire-all").isEnabled());
        browser.button("expire-all").click();
        noteSays("the buttons need the token that was printed at the start");
        assertThat(pressed).isEmpty();

        browser.open(page + "#token=" + web.token());

        noteSays("");
        browser.button("expire-hot").click();
        await().until(() -> !pressed.isEmpty());
        assertThat(pressed).containsExactly(Action.EXPIRE_HOT);
    }

    @Test
    void thePressIsComparedInLargeFiguresAlsoForLateBrowsers() {
        feed.press(3, 64, "2.5 s", 1, "11 ms");
        open();
        await().until(() -> duel("queries").equals("64 vs 1"));
        assertThat(duel("slowest")).isEqualTo("2.5 s vs 11 ms");
        assertThat(browser.text("#contrast-of")).isEqualTo("Expire all keys, 3 of 4 s:");

        feed.press(4, 1_234, "200 ms", 0, "1.3 ms");

        await().until(() -> duel("queries").equals("1,234 vs 0"));
        assertThat(browser.text("#contrast-of")).isEqualTo("Expire all keys, 4 s:");
    }

    @Test
    void eachPressIsARowWithTheFiguresOfBothFleets() {
        open();
        feed.press(4, 64, "2.5 s", 1, "11 ms");
        feed.tell("Redis is stopped: there is no key that could expire.");

        await().until(() ->
                browser.driver().findElements(By.cssSelector("#results tbody")).size() == 2);
        assertThat(browser.script("return [...document.querySelectorAll('#results tbody tr:first-child')]"
                        + ".map(row => [...row.children].slice(1).map(cell => cell.innerText).join('|'))"))
                .isEqualTo(List.of("Expire the hot key", "Expire all keys|64|1|2.5 s|11 ms"));
        assertThat(browser.text("#results tbody .sentence"))
                .isEqualTo("Redis is stopped: there is no key that could expire.");
    }

    private String duel(String name) {
        return Stream.of("b.naive", ".vs", "b.guarded")
                .map(part -> (String) browser.script(
                        "return document.querySelector('[data-duel=" + name + "] " + part + "')?.innerText ?? ''"))
                .collect(Collectors.joining(" "));
    }

    @Test
    void theTourPressesEachButtonOnceAndEnds() {
        open();
        assertThat(pressed).isEmpty();
        browser.script("tour.secondMillis = 20");

        tour().click();

        noteSays("The tour is over.");
        assertThat(pressed)
                .containsExactly(
                        Action.EXPIRE_HOT,
                        Action.SEND_NONEXISTENT_KEYS,
                        Action.KILL_PROCESS,
                        Action.SLOW_DATABASE,
                        Action.EXPIRE_ALL,
                        Action.QUICK_DATABASE,
                        Action.STOP_REDIS,
                        Action.START_REDIS);
        assertThat(tour().getText()).isEqualTo("Tour, 34 s");
        assertThat(browser.script("return TOUR.reduce((sum, step) => sum + step.seconds, 0)"))
                .isEqualTo(34L);
    }

    @Test
    void aTourThatIsStoppedSwitchesBackWhatItSwitched() {
        open();
        browser.script("TOUR[3].seconds = 3600; tour.secondMillis = 1");
        tour().click();
        await().until(() -> pressed.contains(Action.SLOW_DATABASE));

        tour().click();

        noteSays("The tour was stopped.");
        assertThat(pressed)
                .containsExactly(
                        Action.EXPIRE_HOT,
                        Action.SEND_NONEXISTENT_KEYS,
                        Action.KILL_PROCESS,
                        Action.SLOW_DATABASE,
                        Action.QUICK_DATABASE);
        assertThat(tour().getText()).isEqualTo("Tour, 34 s");
    }

    @Test
    void theTourEndsOnTheTotalOfBothFleets() {
        open();
        feed.sample(10, 5, 1);
        await().until(() -> browser.script("return samples.length").equals(1L));
        browser.script("TOUR[0].seconds = 3600; tour.secondMillis = 1");
        tour().click();
        await().until(() -> browser.script("return tour.wake !== null").equals(true));
        feed.sample(110, 7, 2);
        feed.tell("an effect that is still measured");
        await().until(() -> browser.text("#sentence").equals("an effect that is still measured"));

        browser.script("tour.wake()");

        await().until(() -> browser.text("#contrast-of").startsWith("The whole tour"));

        assertThat(duel("queries")).isEqualTo("100 vs 2");
        assertThat(browser.text("#sentence"))
                .isEqualTo("The naive fleet sent 100 queries to its database, the guarded one 2.");
        feed.tell("an effect that is measured longer");
        await().until(() -> browser.text("#results").contains("an effect that is measured longer"));
        assertThat(duel("queries")).isEqualTo("100 vs 2");
    }

    @Test
    void explanationsOpenAndCloseByTheKeyboard() {
        open();
        WebElement button = browser.driver().findElement(By.id("help-button"));
        WebElement help = browser.driver().findElement(By.id("help"));
        assertThat(help.isDisplayed()).isFalse();
        assertThat(button.getDomAttribute("aria-expanded")).isEqualTo("false");

        button.sendKeys(Keys.ENTER);

        assertThat(help.isDisplayed()).isTrue();
        assertThat(button.getDomAttribute("aria-expanded")).isEqualTo("true");

        browser.driver().switchTo().activeElement().sendKeys(Keys.ESCAPE);

        assertThat(help.isDisplayed()).isFalse();
        assertThat(button.getDomAttribute("aria-expanded")).isEqualTo("false");
        assertThat(browser.driver().switchTo().activeElement()).isEqualTo(button);
    }

    @Test
    void aLinkLeadsToTheRepositoryWhereItIsKnown() {
        open();
        WebElement link = browser.driver().findElement(By.id("repository"));
        assertThat(link.isDisplayed()).isEqualTo(PageFile.repository().isPresent());
        PageFile.repository()
                .ifPresent(url -> assertThat(link.getDomAttribute("href")).isEqualTo(url));

        browser.script("start({ repository: 'https://repository.example/x' })");

        assertThat(link.isDisplayed()).isTrue();
        assertThat(link.getDomAttribute("href")).isEqualTo("https://repository.example/x");
    }

    private WebElement tour() {
        return browser.driver().findElement(By.id("tour"));
    }

    /** Returns the address without the token. */
    private String bindWhereATokenIsNeeded() {
        web.close();
        bind("0.0.0.0");
        assertThat(web.token()).isNotNull();
        return "http://127.0.0.1:" + URI.create(web.url()).getPort() + "/";
    }

    private List<WebElement> buttons() {
        return browser.driver().findElements(By.cssSelector("button[data-act]"));
    }

    private List<?> read() {
        return (List<?>) browser.script("return read");
    }

    private boolean sentencesAreRead() {
        return "polite".equals(browser.script("return document.getElementById('sentence').ariaLive"));
    }

    private void noteSays(String text) {
        await().until(() -> browser.text("#note").equals(text));
    }

    private Socket askForEvents() throws IOException {
        URI url = URI.create(web.url());
        Socket socket = new Socket(url.getHost(), url.getPort());
        socket.getOutputStream()
                .write(("GET /events HTTP/1.1\r\nHost: " + url.getAuthority() + "\r\n\r\n")
                        .getBytes(StandardCharsets.UTF_8));
        return socket;
    }
}
