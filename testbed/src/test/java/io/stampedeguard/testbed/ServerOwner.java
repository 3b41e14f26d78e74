package io.stampedeguard.testbed;

/** A program that starts a server, prints its address, and waits to be ended. */
final class ServerOwner {
    private ServerOwner() {}

    /** Prints the URI and, for a process, its id; ends when its input ends. */
    public static void main(String[] arguments) throws Exception {
        RedisServer server = RedisServer.start();
        System.out.println(server.uri());
        System.out.println(server instanceof RedisProcess process ? process.pid() : 0);
        while (System.in.read() != -1) {
            // Nothing is ever written: this waits for the end of the input.
        }
    }
}
