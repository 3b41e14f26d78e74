package io.stampedeguard.demo.serve.web;

import io.stampedeguard.demo.serve.page.Feed;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.program.JsonObject;

/** The web server without content, in a JVM of its own: it reports its address, and sends the lines that it is given. */
final class WebProgram {
    static final String LISTENS = "listens";
    static final String SAY = "say";

    private WebProgram() {}

    public static void main(String[] arguments) throws Exception {
        FleetLink link = FleetLink.open();
        Feed feed = new Feed();
        Web web = Web.bind("127.0.0.1", 0);
        web.serve(new Routes(feed, action -> {}, exchange -> {}, web.token()));
        link.send(Message.of(LISTENS).with("url", web.url()));
        for (long id = 1; true; id++) {
            feed.press(id, new JsonObject().text("sentence", link.receive().text("line")));
        }
    }
}
