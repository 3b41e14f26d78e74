package io.stampedeguard.testbed;

/** A program that is ended while it starts servers: it goes on until it is not permitted to. */
final class LateOwner {
    private LateOwner() {}

    /** Prints why it could start no more. */
    public static void main(String[] arguments) {
        RedisServer.startProcess();
        Runtime.getRuntime().addShutdownHook(new Thread(LateOwner::startMore, "start-more"));
        System.exit(0);
    }

    private static void startMore() {
        try {
            while (true) {
                RedisServer.startProcess();
            }
        } catch (RuntimeException | Error e) {
            System.out.println(e.getClass().getSimpleName());
        }
    }
}
