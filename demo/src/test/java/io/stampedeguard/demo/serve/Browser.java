package io.stampedeguard.demo.serve;

import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Chromium, without a window, as installed on the machine; it is never downloaded. For one thread. */
final class Browser implements AutoCloseable {
    private static final Optional<Path> CHROMIUM = program("chromium");
    private static final Optional<Path> DRIVER = program("chromedriver");

    /** Held in a field, because otherwise the level would be lost. */
    private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

    private final ChromeDriver driver;
    private final Set<String> requests = new TreeSet<>();

    Browser(Path profile) {
        SELENIUM.setLevel(Level.SEVERE);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(CHROMIUM.orElseThrow().toFile());
        options.setCapability("goog:loggingPrefs", logs);
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--user-data-dir=" + profile);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(DRIVER.orElseThrow().toFile())
                .usingAnyFreePort()
                .build();
        driver = new ChromeDriver(service, options);
    }

    static boolean isThere() {
        return CHROMIUM.isPresent() && DRIVER.isPresent();
    }

    /** Searches the PATH, and the location used by Debian. */
    private static Optional<Path> program(String name) {
        String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + "/usr/bin";
        return Stream.of(path.split(File.pathSeparator))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    void size(int width, int height, double scale, boolean phone) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", scale, "mobile", phone));
    }

    void prefer(String colourScheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colourScheme))));
    }

    void open(String url) {
        driver.get(url);
    }

    ChromeDriver driver() {
        return driver;
    }

    WebElement button(String act) {
        return driver.findElement(By.cssSelector("button[data-act='" + act + "']"));
    }

    /** Returns what is shown, in one step: the page replaces elements, and one that was found may be gone before it is read. */
    String text(String selector) {
        return (String) driver.executeScript("return document.querySelector(arguments[0]).innerText.trim()", selector);
    }

    long number(String selector) {
        String text = text(selector).replace(",", "");
        return text.matches("\\d+") ? Long.parseLong(text) : -1;
    }

    Object script(String script) {
        return driver.executeScript(script);
    }

    /** Returns the errors and warnings on the console. */
    List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .toList();
    }

    /** Returns host and port of all requests to the network so far, without the browser's internal pages. */
    Set<String> hostsAsked() {
        for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
            JsonNode message = JsonMapper.shared().readTree(entry.getMessage()).get("message");
            if (message.get("method").asString().equals("Network.requestWillBeSent")) {
                URI asked = URI.create(
                        message.get("params").get("request").get("url").asString());
                if (!asked.getScheme().startsWith("chrome") && asked.getAuthority() != null) {
                    requests.add(asked.getAuthority());
                }
            }
        }
        return requests;
    }

    @Override
    public void close() {
        driver.quit();
    }
}
