package io.stampedeguard.testbed.fleet;

import io.stampedeguard.testbed.Daemon;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A member's end of the connection to its parent. Opening it takes over standard input and output and reports that the
 * member is up; other output to standard output goes to standard error. From then on the member ends when its input
 * ends, that is, when its parent has ended for any reason. <em>Thread-safe.</em>
 */
public final class FleetLink {
    static final Message STARTED = Message.of("started");
    static final String RELEASE = "release";
    static final String AT_MICROS = "atMicros";

    private final BlockingQueue<Message> inbox = new LinkedBlockingQueue<>();
    private final PrintStream toParent;

    private FleetLink(PrintStream toParent) {
        this.toParent = toParent;
    }

    /** {@return a new connection to the parent} Must be called once, first in the member's {@code main}. */
    public static FleetLink open() {
        FleetLink link =
                new FleetLink(new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8));
        System.setOut(System.err);
        Daemon.start("fleet-link", link::readUntilParentIsGone);
        link.send(STARTED);
        return link;
    }

    /** Work of a member, which may throw. */
    @FunctionalInterface
    public interface Work {
        /** Does the work. */
        void run() throws Exception;
    }

    /**
     * {@return a task that ends this process, after a stack trace, if some work throws: its parent notices that, and would wait for
     * an answer in vain otherwise}
     */
    public static Runnable orEnd(Work work) {
        return () -> {
            try {
                work.run();
            } catch (Throwable neverExpected) {
                System.err.print(
                        "Exception in thread \"" + Thread.currentThread().getName() + "\" "); // as the JVM does
                neverExpected.printStackTrace();
                Runtime.getRuntime().halt(1);
            }
        };
    }

    /** {@return the parent's next message, after waiting for it} */
    public Message receive() throws InterruptedException {
        return inbox.take();
    }

    /**
     * {@return the instant of the release of the fleet, the same in all members, in microseconds since the epoch} Waits until the
     * parent announces it. The instant is in the near future, so that each thread can wait for it with {@link
     * WallClock#awaitMicros}. A thread that wakes the others would run before them.
     *
     * @throws IllegalStateException if the parent sends another message
     */
    public long receiveRelease() throws InterruptedException {
        Message message = receive();
        if (!message.verb().equals(RELEASE)) {
            throw new IllegalStateException("expected to be released, not " + message);
        }
        return message.number(AT_MICROS);
    }

    /** Sends a message to the parent. */
    public void send(Message message) {
        toParent.print(message.line() + "\n");
        toParent.flush();
    }

    private void readUntilParentIsGone() {
        Lines.read(new FileInputStream(FileDescriptor.in), line -> inbox.add(Message.parse(line)));
        Runtime.getRuntime().halt(0);
    }
}
