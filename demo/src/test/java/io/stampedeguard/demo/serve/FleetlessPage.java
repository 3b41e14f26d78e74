package io.stampedeguard.demo.serve;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stampedeguard.demo.serve.page.Action;
import io.stampedeguard.demo.serve.web.Routes;
import io.stampedeguard.demo.serve.web.Web;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser, which all tests of a class share. There are no fleets: each test feeds its own page. */
@Tag("proof")
@TestInstance(Lifecycle.PER_CLASS)
abstract class FleetlessPage {
    Browser browser;
    Web web;
    FleetlessFeed feed;
    final List<Action> pressed = new CopyOnWriteArrayList<>();

    @BeforeAll
    void start(@TempDir Path profile) {
        assumeTrue(
                Browser.isThere(), "needs chromium and chromedriver on the PATH (Debian: chromium, chromium-driver)");
        browser = new Browser(profile);
    }

    @AfterAll
    void end() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void serve() {
        feed = new FleetlessFeed();
        pressed.clear();
        bind("127.0.0.1");
    }

    void bind(String host) {
        web = Web.bind(host, 0);
        web.serve(new Routes(feed.feed(), pressed::add, exchange -> {}, web.token()));
    }

    @AfterEach
    void close() {
        web.close();
    }

    void open() {
        browser.open(web.url());
        await().until(() -> browser.text("#facts").startsWith("Each fleet:"));
    }

    /** Longer than a page that retries now and then may take. */
    static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(2));
    }
}
