package io.stampedeguard.redis;

import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;

/** The program of one of the {@link SpareProcesses}, from an opening message to {@code close}. */
public abstract class SpareMember {
    protected final FleetLink link;
    protected final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile boolean closed;

    protected SpareMember(FleetLink link) {
        this.link = link;
    }

    /** Runs one member after another, each made from the message that opens it. Does not return. */
    protected static void run(BiFunction<FleetLink, Message, SpareMember> opening) throws InterruptedException {
        FleetLink link = FleetLink.open();
        while (true) {
            SpareMember member = opening.apply(link, link.receive());
            link.send(Message.of("open"));
            member.carryOutUntilClosed();
            link.send(Message.of("closed"));
        }
    }

    private void carryOutUntilClosed() throws InterruptedException {
        for (Message order = link.receive(); !order.verb().equals("close"); order = link.receive()) {
            Message next = order;
            threads.execute(() -> carryOutUnlessClosed(next));
        }
        closed = true;
        SpareProcesses.end(threads);
        close();
    }

    private void carryOutUnlessClosed(Message order) {
        try {
            carryOut(order);
        } catch (RuntimeException e) {
            if (!closed) {
                throw e;
            }
        }
    }

    /** Executes a command, on one of the threads. */
    protected abstract void carryOut(Message order);

    /** Closes what the member has opened; its threads have ended. */
    protected abstract void close();
}
