package io.stampedeguard.testbed.fleet;

/** A member that echoes what it is told, waits to be released when told so, or ends with a code. */
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
                    link.tell(Message.of("released").with("at", instant).with("woke", WallClock.micros()));
                }
                case "exit" -> System.exit((int) message.number("code"));
                default -> link.tell(message);
            }
        }
    }
}
