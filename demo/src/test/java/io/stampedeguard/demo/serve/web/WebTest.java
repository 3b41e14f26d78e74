package io.stampedeguard.demo.serve.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stampedeguard.demo.serve.page.Action;
import io.stampedeguard.demo.serve.page.Feed;
import io.stampedeguard.testbed.program.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The web server as seen by a client that can send anything, unlike a browser. */
class WebTest {
    private static final String ANY_ADDRESS = "0.0.0.0";

    private final Feed feed = new Feed();
    private final List<Action> pressed = new CopyOnWriteArrayList<>();
    private String boundTo = "127.0.0.1";
    private Web web = Web.bind(boundTo, 0);

    @BeforeEach
    void serve() {
        web.serve(new Routes(feed, pressed::add, exchange -> Answer.text(exchange, 200, "up 1.0"), web.token()));
    }

    @AfterEach
    void close() {
        web.close();
    }

    @ParameterizedTest
    @CsvSource({
        "/,            text/html,       A cache stampede",
        "/page.css,    text/css,        prefers-color-scheme",
        "/page.js,     text/javascript, EventSource",
        "/charts.js,   text/javascript, class Charts",
        "/tour.js,     text/javascript, class Tour",
        "/lib/chart.js,text/javascript, Chart.js v4",
        "/icon.svg,    image/svg+xml,   <svg",
        "/metrics,     text/plain,      up 1.0"
    })
    void thePageAndItsFilesAreServed(String path, String type, String content) throws IOException {
        assertThat(get(path))
                .startsWith("HTTP/1.1 200")
                .contains("Content-type: " + type)
                .contains("Content-security-policy: default-src 'none'; script-src 'self'")
                .contains("X-content-type-options: nosniff")
                .contains(content);
    }

    @ParameterizedTest
    @CsvSource({"/nothing", "/page/index.html", "/../Web.class", "/lib/", "/act"})
    void whatIsNotThereIsA404(String path) throws IOException {
        assertThat(get(path)).startsWith("HTTP/1.1 404");
    }

    @Test
    void aButtonThatDoesNotExistIsA404() throws IOException {
        assertThat(post("no-such-button", page())).startsWith("HTTP/1.1 404");
        assertThat(pressed).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Action.class)
    void thePageCanPressEachButton(Action action) throws IOException {
        assertThat(post(action.toString(), page())).startsWith("HTTP/1.1 204");
        assertThat(pressed).containsExactly(action);
    }

    @Test
    void aButtonIsNotPressedByALink() throws IOException {
        assertThat(get("/act/stop-redis")).startsWith("HTTP/1.1 405").contains("Allow: POST");
        assertThat(pressed).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"http://example.org", "null", "https://localhost", "http://localhost:1"})
    void aForeignPageCannotPressAButton(String origin) throws IOException {
        assertThat(post("stop-redis", origin)).startsWith("HTTP/1.1 403");
        assertThat(post("stop-redis", "https://" + host())).startsWith("HTTP/1.1 403");
        assertThat(pressed).isEmpty();
    }

    @Test
    void whoDoesNotSayWhereItComesFromCannotPressAButton() throws IOException {
        assertThat(send("POST /act/stop-redis HTTP/1.1\r\nHost: " + host() + "\r\nContent-Length: 0\r\n"))
                .startsWith("HTTP/1.1 403");
        assertThat(pressed).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"example.org", "example.org:80", "127.0.0.1.example.org", "localhost.example.org:8080"})
    void onLoopbackANameThatIsNotThisMachinesIsRefused(String host) throws IOException {
        assertThat(send("GET / HTTP/1.1\r\nHost: " + host + "\r\n")).startsWith("HTTP/1.1 421");
        assertThat(send("POST /act/stop-redis HTTP/1.1\r\nHost: " + host + "\r\nOrigin: http://" + host
                        + "\r\nContent-Length: 0\r\n"))
                .startsWith("HTTP/1.1 421");
        assertThat(pressed).isEmpty();
    }

    @Test
    void onLoopbackThereIsNoToken() {
        assertThat(web.token()).isNull();
        assertThat(web.url()).isEqualTo(page() + "/");
    }

    @Test
    void onAnotherLoopbackAddressTheUrlThatIsPrintedWorks() throws IOException {
        bindAnew("127.0.0.2");
        assertThat(web.url()).isEqualTo("http://127.0.0.2:" + port() + "/");
        assertThat(web.token()).isNull();

        assertThat(send("GET / HTTP/1.1\r\nHost: 127.0.0.2:" + port() + "\r\n")).startsWith("HTTP/1.1 200");
        assertThat(send("GET / HTTP/1.1\r\nHost: localhost:" + port() + "\r\n")).startsWith("HTTP/1.1 200");
        assertThat(send("GET / HTTP/1.1\r\nHost: 127.0.0.3:" + port() + "\r\n")).startsWith("HTTP/1.1 421");
        assertThat(send("POST /act/stop-redis HTTP/1.1\r\nHost: 127.0.0.2:" + port() + "\r\nOrigin: http://127.0.0.2:"
                        + port() + "\r\nContent-Length: 0\r\n"))
                .startsWith("HTTP/1.1 204");
        assertThat(pressed).containsExactly(Action.STOP_REDIS);
    }

    @Test
    void onLoopbackTheBoundNameIsKnownInAnySpelling() throws IOException {
        bindAnew("LocalHost");
        assertThat(send("GET / HTTP/1.1\r\nHost: LOCALHOST:" + port() + "\r\n")).startsWith("HTTP/1.1 200");
    }

    @ParameterizedTest
    @CsvSource({"::1, [::1]", "127.0.1.1, 127.0.1.1", "2001:db8::1, [2001:db8:0:0:0:0:0:1]"})
    void anAddressStandsInTheUrlAsABrowserSendsIt(String address, String shown) throws IOException {
        assertThat(Web.inUrl(InetAddress.getByName(address))).isEqualTo(shown);
    }

    @Test
    void behindAProxyWithTlsTheButtonsWorkWithTheToken() throws IOException {
        bindAnew(ANY_ADDRESS);
        String token = Routes.TOKEN_HEADER + ": " + web.token();
        String press = "POST /act/stop-redis HTTP/1.1\r\nHost: demo.example.org\r\nContent-Length: 0\r\n";

        assertThat(send(press + "Origin: https://demo.example.org\r\n"))
                .startsWith("HTTP/1.1 403")
                .contains("token");
        assertThat(send(press + "Origin: https://other.example.org\r\n" + token + "\r\n"))
                .startsWith("HTTP/1.1 403");
        assertThat(pressed).isEmpty();

        assertThat(send(press + "Origin: https://demo.example.org\r\n" + token + "\r\n"))
                .startsWith("HTTP/1.1 204");
        assertThat(pressed).containsExactly(Action.STOP_REDIS);
    }

    @Test
    void elsewhereThePageIsReadableAndItsButtonsNeedTheToken() throws IOException {
        bindAnew(ANY_ADDRESS);
        String token = web.token();
        assertThat(token).hasSizeGreaterThanOrEqualTo(24);
        assertThat(web.url()).endsWith("/#token=" + token);

        assertThat(send("GET / HTTP/1.1\r\nHost: somewhere:80\r\n")).startsWith("HTTP/1.1 200");
        assertThat(post("stop-redis", page())).startsWith("HTTP/1.1 403").contains("token");
        assertThat(post("stop-redis", page(), Routes.TOKEN_HEADER + ": " + token + "x"))
                .startsWith("HTTP/1.1 403");
        assertThat(pressed).isEmpty();

        assertThat(post("stop-redis", "http://example.org", Routes.TOKEN_HEADER + ": " + token))
                .startsWith("HTTP/1.1 403");
        assertThat(pressed).isEmpty();

        assertThat(post("stop-redis", page(), Routes.TOKEN_HEADER + ": " + token))
                .startsWith("HTTP/1.1 204");
        assertThat(pressed).containsExactly(Action.STOP_REDIS);
    }

    @Test
    void aPortThatIsInUseIsOneLine() {
        int port = URI.create(web.url()).getPort();

        assertThatThrownBy(() -> Web.bind("127.0.0.1", port))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("cannot listen on 127.0.0.1, port " + port)
                .hasMessageEndingWith("choose another one with --port");
    }

    @Test
    void whatFailsIsAnAnswerToo() throws IOException {
        close();
        web = Web.bind(boundTo, 0);
        web.serve(new Routes(feed, this::fail, exchange -> {}, web.token()));

        assertThat(post("start-redis", page())).startsWith("HTTP/1.1 500").contains("This failed");
    }

    private void fail(Action action) {
        throw new IllegalStateException("on purpose: " + action);
    }

    /** 192.0.2.0/24 is reserved for documentation. */
    @ParameterizedTest
    @CsvSource({"192.0.2.1", "no-such-host.invalid"})
    void anAddressThatIsNotThisMachinesIsOneLineToo(String address) {
        assertThatThrownBy(() -> Web.bind(address, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("--bind " + address + " is not an address of this machine");
    }

    @Test
    void eventsBeginWithAGreetingAndGoOn() throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write(("GET /events HTTP/1.1\r\nHost: " + host() + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            assertThat(untilA("event: start", in)).contains("Content-type: text/event-stream; charset=utf-8");
            assertThat(in.readLine()).startsWith("data: {\"tokenNeeded\":false,");

            feed.press(1, sentence("something happened"));

            untilA("event: press", in);
            assertThat(in.readLine()).startsWith("data: {").endsWith("\"sentence\":\"something happened\"}");
        }
    }

    @Test
    void oneBrowserTooManyIsRefusedUntilAnotherHasGone() throws IOException {
        List<Socket> browsers = new ArrayList<>();
        try {
            for (int i = 0; i < Routes.MOST_BROWSERS; i++) {
                Socket browser = connect();
                browsers.add(browser);
                assertThat(firstEvent(browser)).isEqualTo("event: start");
            }
            assertThat(firstEvent()).isEqualTo("event: full");

            browsers.get(0).close();

            // A closed connection is detected when something is sent to it.
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                feed.press(1, sentence("something"));
                return firstEvent().equals("event: start");
            });
        } finally {
            for (Socket browser : browsers) {
                browser.close();
            }
        }
    }

    private static JsonObject sentence(String text) {
        return new JsonObject().text("sentence", text);
    }

    private String firstEvent(Socket socket) throws IOException {
        socket.getOutputStream()
                .write(("GET /events HTTP/1.1\r\nHost: " + host() + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        return in.lines().filter(line -> line.startsWith("event: ")).findFirst().orElse("");
    }

    private String firstEvent() throws IOException {
        try (Socket socket = connect()) {
            return firstEvent(socket);
        }
    }

    private void bindAnew(String host) {
        close();
        boundTo = host;
        web = Web.bind(host, 0);
        serve();
    }

    private static List<String> untilA(String line, BufferedReader in) throws IOException {
        List<String> before = new CopyOnWriteArrayList<>();
        for (String read = in.readLine(); read != null && !line.equals(read); read = in.readLine()) {
            before.add(read);
        }
        return before;
    }

    private String page() {
        return "http://" + host();
    }

    private String host() {
        return "127.0.0.1:" + port();
    }

    private int port() {
        return URI.create(web.url()).getPort();
    }

    private String get(String path) throws IOException {
        return send("GET " + path + " HTTP/1.1\r\nHost: " + host() + "\r\n");
    }

    private String post(String act, String origin, String... headers) throws IOException {
        StringBuilder request = new StringBuilder("POST /act/" + act + " HTTP/1.1\r\nHost: " + host() + "\r\nOrigin: "
                + origin + "\r\nContent-Length: 0\r\n");
        List.of(headers).forEach(header -> request.append(header).append("\r\n"));
        return send(request.toString());
    }

    private String send(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write((request + "Connection: close\r\n\r\n").getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private Socket connect() throws IOException {
        return new Socket(boundTo, port());
    }
}
