package io.stampedeguard.testbed.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** A member that echoes its messages, waits to be released on command, reports a resource, or ends with an exit code. */
final class FleetProgram {
    private FleetProgram() {}

    public static void main(String[] arguments) throws Exception {
        FleetLink link = FleetLink.open();
        System.out.println("what a library prints is no message");
        while (true) {
            Message message = link.receive();
            switch (message.verb()) {
                case "await" -> {
                    long instant = link.receiveRelease();
                    WallClock.awaitMicros(instant);
                    link.send(Message.of("released").with("at", instant).with("woke", WallClock.micros()));
                }
                case "resource" -> link.send(message.with("says", resource(message.text("name"))));
                case "log" -> System.err.println(message.text("line"));
                case "throw" -> throw new IOException("so the test wants it");
                case "exit" -> System.exit((int) message.number("code"));
                case "fail" ->
                    new Thread(FleetLink.orEnd(() -> {
                                throw new IOException("so the test wants it");
                            }))
                            .start();
                default -> link.send(message);
            }
        }
    }

    private static String resource(String name) throws IOException {
        try (InputStream resource = FleetProgram.class.getResourceAsStream(name)) {
            return resource == null ? "" : new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
