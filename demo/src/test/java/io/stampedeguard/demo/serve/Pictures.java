package io.stampedeguard.demo.serve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.openqa.selenium.OutputType;

/**
 * Creates the pictures of {@code docs/live-page.md} again, from the real page during a stampede. Run by hand; its
 * argument is the directory for the pictures.
 */
final class Pictures {
    private static final int WIDE = 1_280;
    private static final int HIGH = 800;
    private static final int NARROW = 390;
    private static final int LONG = 844;

    /** After that, calls are as fast as they become. */
    private static final Duration STEADY = Duration.ofSeconds(10);

    private Pictures() {}

    /** Runs for about a minute. */
    public static void main(String[] arguments) throws Exception {
        Path to = Path.of(arguments[0]);
        Path profile = Files.createTempDirectory("stampede-browser-");
        try (LiveDemo demo = LiveDemo.start("127.0.0.1", 0);
                Browser browser = new Browser(profile)) {
            browser.size(WIDE, HIGH, 1, false);
            browser.prefer("light");
            browser.open(demo.url());
            Thread.sleep(STEADY.toMillis());
            press(browser, "expire-hot", 6);
            press(browser, "kill-process", 10);
            press(browser, "slow-database", 6);
            take(browser, to.resolve("live-page-light.png"));
            press(browser, "slow-database", 6);
            browser.prefer("dark");
            press(browser, "stop-redis", 6);
            press(browser, "stop-redis", 10);
            take(browser, to.resolve("live-page-dark.png"));
            browser.prefer("light");
            browser.size(NARROW, LONG, 1, true);
            press(browser, "expire-hot", 6);
            take(browser, to.resolve("live-page-phone.png"));
        }
    }

    private static void press(Browser browser, String act, int thenSeconds) throws InterruptedException {
        browser.button(act).click();
        Thread.sleep(Duration.ofSeconds(thenSeconds).toMillis());
    }

    private static void take(Browser browser, Path file) throws IOException {
        browser.script("document.activeElement.blur(); scrollTo(0, 0)");
        Files.write(file, browser.driver().getScreenshotAs(OutputType.BYTES));
    }
}
