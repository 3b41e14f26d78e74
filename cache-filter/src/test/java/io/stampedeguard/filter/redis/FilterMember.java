package io.stampedeguard.filter.redis;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A process with a key filter, which executes the commands of its parent. */
final class FilterMember {
    private static final int LOOK_ENDS = 0;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final FleetLink link;
    private final String origin;
    private final RedisKeyFilter<Long> filter;
    private volatile boolean ended;

    private FilterMember(FleetLink link, Message open) {
        this.link = link;
        this.origin = open.text("origin");
        // On a busy machine; servers that stall are covered by other tests.
        Duration patience = Duration.ofSeconds(20);
        RedisStoreOptions options =
                RedisStoreOptions.builder().commandTimeout(patience).build();
        RedisStore store = RedisStore.connect(open.text("redis"), options);
        this.filter = RedisKeyFilter.<Long>builder("fleet", store)
                .expectedKeys(open.number("expectedKeys"))
                .rebuildTtl(Duration.ofMillis(open.number("ttlMillis")))
                .build();
    }

    public static void main(String[] arguments) throws Exception {
        FleetLink link = FleetLink.open();
        FilterMember member = new FilterMember(link, link.receive());
        link.send(Message.of("open"));
        while (true) {
            Message order = link.receive();
            member.threads.execute(FleetLink.orEnd(() -> member.carryOut(order)));
        }
    }

    private void carryOut(Message order) throws Exception {
        switch (order.verb()) {
            case "rebuild" -> rebuild();
            case "rebuildForEver" -> rebuildForEver(order);
            case "getStuck" -> getStuck(order.number("after"));
            case "traffic" -> traffic(order);
            case "end" -> ended = true;
            case "look" -> look((int) order.number("lanes"));
            case "announce" -> announce(order);
            default -> throw new IllegalArgumentException(order.toString());
        }
    }

    private void rebuild() {
        try (FilterRows rows = new FilterRows(origin)) {
            filter.rebuild(rows::all);
        }
        link.send(Message.of("rebuilt"));
    }

    /** Reports each rebuild that succeeds. One that is superseded, or fails because of Redis, is tried again. */
    private void rebuildForEver(Message order) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(order.number("seed"));
        while (true) {
            Thread.sleep(random.nextInt(200));
            try {
                rebuild();
            } catch (StoreException another) {
                link.send(Message.of("failed").with("because", String.valueOf(another.getMessage())));
            }
        }
    }

    /** Begins a rebuild that does not end. */
    private void getStuck(long after) {
        try (FilterRows rows = new FilterRows(origin)) {
            filter.rebuild(() -> {
                long[] read = {0};
                return rows.all().peek(row -> {
                    if (++read[0] == after) {
                        link.send(Message.of("stuck"));
                        awaitNothing();
                    }
                });
            });
        }
    }

    private static void awaitNothing() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void traffic(Message order) throws Exception {
        SplittableRandom random = new SplittableRandom(order.number("seed"));
        List<Callable<FilterTraffic.Found>> threadsOfIt = new ArrayList<>();
        for (int i = 0; i < order.number("threads"); i++) {
            SplittableRandom own = random.split();
            threadsOfIt.add(() -> {
                try (FilterRows rows = new FilterRows(origin)) {
                    return new FilterTraffic(filter, rows, own, order.number("operations"), () -> ended).call();
                }
            });
        }
        FilterTraffic.Found all = new FilterTraffic.Found(0, 0, 0, "");
        for (Future<FilterTraffic.Found> each : threads.invokeAll(threadsOfIt)) {
            all = all.and(each.get());
        }
        link.send(all.tell());
    }

    /** Looks up each row that another member reports, at once, and answers with the result. */
    private void look(int lanes) throws Exception {
        try (ServerSocket listening = new ServerSocket(0, lanes, InetAddress.getLoopbackAddress())) {
            link.send(Message.of("listening").with("port", listening.getLocalPort()));
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < lanes; i++) {
                Socket lane = listening.accept();
                all.add(threads.submit(() -> look(lane)));
            }
            for (Future<?> lane : all) {
                lane.get();
            }
        }
        link.send(Message.of("looked"));
    }

    private boolean look(Socket lane) throws IOException {
        lane.setTcpNoDelay(true);
        try (lane;
                DataInputStream in = new DataInputStream(lane.getInputStream());
                DataOutputStream out = new DataOutputStream(lane.getOutputStream())) {
            for (long row = in.readLong(); row != LOOK_ENDS; row = in.readLong()) {
                out.writeBoolean(filter.mightContain(row));
            }
        }
        return true;
    }

    /** Announces rows, lets another member look up each, and reports how many were not found. */
    private void announce(Message order) throws Exception {
        long missed = 0;
        List<Future<Long>> lanes = new ArrayList<>();
        for (long lane = 0; lane < order.number("lanes"); lane++) {
            long first = 1 + lane * order.number("rows");
            lanes.add(threads.submit(() -> announce(order, first)));
        }
        for (Future<Long> lane : lanes) {
            missed += lane.get();
        }
        link.send(Message.of("announced").with("missed", missed));
    }

    private long announce(Message order, long first) throws IOException {
        long missed = 0;
        try (Socket lane = new Socket(InetAddress.getLoopbackAddress(), (int) order.number("port"));
                DataInputStream in = new DataInputStream(lane.getInputStream());
                DataOutputStream out = new DataOutputStream(lane.getOutputStream())) {
            lane.setTcpNoDelay(true);
            for (long row = first; row < first + order.number("rows"); row++) {
                filter.add(row);
                out.writeLong(row);
                missed += in.readBoolean() ? 0 : 1;
            }
            out.writeLong(LOOK_ENDS);
        }
        return missed;
    }
}
