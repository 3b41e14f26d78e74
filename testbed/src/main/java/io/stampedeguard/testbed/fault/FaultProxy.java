package io.stampedeguard.testbed.fault;

import io.stampedeguard.testbed.Daemon;
import io.stampedeguard.testbed.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on the loopback interface, between clients and a Redis server, with faults that can be switched on while it runs.
 * Faults are independent: several can be on at once, until {@link #heal()} switches all of them off. A method returns when its
 * fault is in effect. One thread moves all bytes. <em>Thread-safe.</em>
 *
 * <p>A fault applies to the connections that are open, and to those that are accepted later, unless stated otherwise. Where
 * chance decides, equal seeds make equal choices for equal sequences of connections and bytes.
 */
public final class FaultProxy implements AutoCloseable {
    private static final int BACKLOG = 512;
    private static final int BUFFER_BYTES = 1 << 16;

    private final InetSocketAddress server;
    private final int port;
    private final SplittableRandom random;
    private final Selector selector;
    private final Queue<Order> orders = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicInteger openConnections = new AtomicInteger();
    private final AtomicLong lostBytes = new AtomicLong();

    // Confined to the proxy's thread.
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final Set<Link> links = new LinkedHashSet<>();
    private final Set<Link> holding = new LinkedHashSet<>();
    private final List<SocketChannel> hanging = new ArrayList<>();
    private @Nullable ServerSocketChannel listener;
    private final LongSupplier answerDelay = this::drawDelay;
    private Latency latency = Latency.NONE;
    private double resetShare;
    private long answerLimit = Long.MAX_VALUE;
    private long requestLimit = Long.MAX_VALUE;
    private boolean stalled;
    private boolean hangs;
    private boolean closing;

    private FaultProxy(InetSocketAddress server, long seed) throws IOException {
        this.server = server;
        this.port = FreePort.find();
        this.random = new SplittableRandom(seed);
        this.selector = Selector.open();
    }

    /** Work for the proxy's thread; done when it has taken effect. */
    private record Order(Runnable work, CompletableFuture<Void> done) {}

    /**
     * Starts a proxy without faults.
     *
     * @param port the port of the server, which need not answer yet
     * @param seed decides which connections are reset, and how long the jitter is
     */
    public static FaultProxy start(String host, int port, long seed) {
        try {
            FaultProxy proxy = new FaultProxy(new InetSocketAddress(host, port), seed);
            proxy.listen();
            Daemon.start("fault-proxy-" + proxy.port, proxy::run);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException("could not start a proxy before " + host + ":" + port, e);
        }
    }

    /** {@return the port of the proxy; it does not change} */
    public int port() {
        return port;
    }

    /** {@return the URI of the server for a Redis client, through this proxy} */
    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** {@return the number of open connections of clients, those that hang included} */
    public int openConnections() {
        return openConnections.get();
    }

    /** {@return the number of bytes that were lost since the start, by {@link #lose} and {@link #truncateAnswers}} */
    public long lostBytes() {
        return lostBytes.get();
    }

    /**
     * Delays answers and notifications. Requests are not delayed, so a round trip takes longer by one delay.
     *
     * @param jitter the most that chance adds to it, for each chunk of bytes; it does not change the order
     */
    public void delayAnswers(Duration delay, Duration jitter) {
        Latency drawn = Latency.of(delay, jitter);
        order(() -> latency = drawn);
    }

    /** Closes all connections in order, and refuses new ones. */
    public void cut() {
        order(() -> {
            unlisten();
            links.forEach(Link::close);
            hanging.forEach(Link::reset);
            hanging.clear();
        });
    }

    /**
     * Resets (RST) a share of the connections that are open now, chosen at random, and returns their number. Later ones are not
     * affected.
     *
     * @param share from 0 to 1; the number of connections is rounded up
     */
    public int reset(double share) {
        requireShare(share);
        List<Link> chosen = new ArrayList<>();
        order(() -> {
            List<Link> all = new ArrayList<>(links);
            Collections.shuffle(all, new Random(random.nextLong()));
            chosen.addAll(all.subList(0, (int) Math.ceil(share * all.size())));
            chosen.forEach(Link::reset);
        });
        return chosen.size();
    }

    /**
     * Resets (RST) a share of the connections that are accepted from now on, when the client sends its first bytes. Open ones are
     * not affected.
     *
     * @param share the probability, from 0 to 1
     */
    public void resetNew(double share) {
        requireShare(share);
        order(() -> resetShare = share);
    }

    /** Stops all bytes in both directions. Connections stay open, and new ones are accepted. Nothing is lost. */
    public void stall() {
        order(() -> stalled = true);
    }

    /** Lets each connection receive a limited number of bytes, and nothing more, without any sign: half an answer, then silence. */
    public void truncateAnswers(int bytes) {
        order(() -> {
            answerLimit = Math.min(answerLimit, bytes);
            links.forEach(link -> link.flow(Direction.FROM_SERVER).limit(bytes));
        });
    }

    /**
     * Loses all bytes in one direction, without any sign, and the end of the stream, too.
     *
     * @param direction the direction; the other one is not affected
     */
    public void lose(Direction direction) {
        order(() -> {
            if (direction == Direction.TO_SERVER) {
                requestLimit = 0;
            } else {
                answerLimit = 0;
            }
            links.forEach(link -> link.flow(direction).limit(0));
        });
    }

    /** Accepts new connections and then ignores them: they get no answer, and the server does not see them. */
    public void hang() {
        order(() -> hangs = true);
    }

    /**
     * Switches all faults off. Delayed bytes are forwarded at once, and stalled ones continue. Connections that hang or have lost
     * something are reset, since nothing can repair them.
     */
    public void heal() {
        order(() -> {
            latency = Latency.NONE;
            resetShare = 0;
            answerLimit = Long.MAX_VALUE;
            requestLimit = Long.MAX_VALUE;
            stalled = false;
            hangs = false;
            hanging.forEach(Link::reset);
            hanging.clear();
            links.forEach(FaultProxy::heal);
            listenAgain();
        });
    }

    private static void heal(Link link) {
        if (link.isDamaged()) {
            link.reset();
        }
        for (Direction direction : Direction.values()) {
            link.flow(direction).unlimit();
            link.flow(direction).hurry();
        }
    }

    /** Closes all connections, and returns when nothing is left. The server is not closed. */
    @Override
    public void close() {
        if (!ended.isDone()) {
            orders.add(new Order(() -> closing = true, new CompletableFuture<>()));
            selector.wakeup();
        }
        ended.join();
    }

    private static void requireShare(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("a share is from 0 to 1, not " + share);
        }
    }

    private void order(Runnable work) {
        Order order = new Order(work, new CompletableFuture<>());
        orders.add(order);
        selector.wakeup();
        if (ended.isDone()) {
            order.done().completeExceptionally(new IllegalStateException("this proxy was closed"));
        }
        order.done().join();
    }

    private void run() {
        try {
            while (!closing) {
                selector.select(this::handle, patienceMillis());
                forwardDue();
                takeOrders();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the proxy before " + server + " ends", e);
        } finally {
            end();
        }
    }

    private void end() {
        links.forEach(Link::close);
        hanging.forEach(Link::reset);
        unlisten();
        try {
            selector.close();
            awaitRefusal();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            openConnections.set(0);
            ended.complete(null);
            orders.forEach(
                    order -> order.done().completeExceptionally(new IllegalStateException("this proxy was closed")));
        }
    }

    private void listen() throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open();
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_ACCEPT);
        listener = channel;
    }

    private void listenAgain() {
        if (listener == null) {
            try {
                listen();
            } catch (IOException e) {
                throw new UncheckedIOException("port " + port + " was taken meanwhile", e);
            }
        }
    }

    private void unlisten() {
        try {
            if (listener != null) {
                listener.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("could not close port " + port, e);
        }
        listener = null;
    }

    private long drawDelay() {
        return latency.draw(random);
    }

    private void handle(SelectionKey key) {
        if (!key.isValid()) {
            return;
        }
        if (key.attachment() instanceof Link link) {
            tend(link, () -> lostBytes.addAndGet(link.handle(key, buffer, answerDelay)));
        } else {
            accept();
        }
    }

    /** A step of a link, which may find that one of its sides is gone. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    private void tend(Link link, Step step) {
        try {
            step.run();
            link.update(stalled);
        } catch (IOException oneSideIsGone) {
            link.reset();
        }
        if (!link.isOpen()) {
            links.remove(link);
            holding.remove(link);
            countConnections();
        } else if (link.nanosUntilDue(System.nanoTime()) != Flow.NOTHING_DUE) {
            holding.add(link);
        }
    }

    private void countConnections() {
        openConnections.set(links.size() + hanging.size());
    }

    private void accept() {
        try {
            SocketChannel client = listener == null ? null : listener.accept();
            if (client == null) {
                return;
            }
            if (hangs) {
                hanging.add(client);
            } else {
                connect(client);
            }
        } catch (IOException clientOrServerIsGone) {
            // The client notices: it was reset.
        }
        countConnections();
    }

    private void connect(SocketChannel client) throws IOException {
        boolean doomed = resetShare > 0 && random.nextDouble() < resetShare;
        Link link = Link.open(client, server, selector, doomed);
        link.flow(Direction.TO_SERVER).limit(requestLimit);
        link.flow(Direction.FROM_SERVER).limit(answerLimit);
        links.add(link);
        link.update(stalled);
    }

    private void forwardDue() {
        if (!stalled && !holding.isEmpty()) {
            long now = System.nanoTime();
            for (Link link : List.copyOf(holding)) {
                tend(link, () -> link.forward(now));
            }
            holding.removeIf(link -> link.nanosUntilDue(now) == Flow.NOTHING_DUE);
        }
    }

    /** Returns how long the selector may wait: 0 means until something happens. */
    private long patienceMillis() {
        if (stalled || holding.isEmpty()) {
            return 0;
        }
        long now = System.nanoTime();
        long nanos = holding.stream()
                .mapToLong(link -> link.nanosUntilDue(now))
                .min()
                .orElse(0);
        return TimeUnit.NANOSECONDS.toMillis(nanos) + 1;
    }

    /** Only when the selector has let go of closed channels does the other side notice: then an order is done. */
    private void takeOrders() throws IOException {
        for (Order order = orders.peek(); order != null; order = orders.peek()) {
            try {
                order.work().run();
            } catch (RuntimeException e) {
                order.done().completeExceptionally(e);
            }
            for (Link link : List.copyOf(links)) {
                tend(link, () -> {});
            }
            countConnections();
            selector.selectNow(this::handle);
            if (listener == null) {
                awaitRefusal();
            }
            orders.remove(order);
            order.done().complete(null);
        }
    }

    /** A process that is just being started has inherited the listener, and accepts connections until it has closed it. */
    private void awaitRefusal() throws IOException {
        while (accepts()) {
            Thread.onSpinWait();
        }
    }

    private boolean accepts() throws IOException {
        try (SocketChannel probe = SocketChannel.open()) {
            return probe.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (ConnectException refused) {
            return false;
        } catch (SocketException resetByTheEndOfThatListener) {
            return true;
        }
    }
}
