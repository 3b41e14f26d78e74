package io.stampedeguard.redis;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Ten thousand virtual threads wait for a hundred keys in blocking calls, and none of them is pinned to its carrier;
 * where Java has no virtual threads, a thousand platform threads do the same. Two caches with a store each represent
 * two processes, so that leaders wait for each other as well.
 */
@Isolated("records what happens to any virtual thread of the JVM")
class VirtualThreadsTest {
    private static final int CALLERS = ManyThreads.VIRTUAL ? 10_000 : 1_000;
    private static final int KEYS = 100;
    private static final String PINNED = "jdk.VirtualThreadPinned";

    private final AtomicInteger loads = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final String run = LeaseToken.next().toString();
    private final List<AutoCloseable> open = new ArrayList<>();

    @TempDir
    private Path directory;

    private ExecutorService threads;

    @BeforeEach
    void begin() throws Exception {
        threads = ManyThreads.create();
    }

    @AfterEach
    void close() throws Exception {
        threads.shutdownNow();
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    @Test
    void blockingCallsOnVirtualThreadsAreAnsweredAndPinNothing() throws Exception {
        List<StampedeGuardedCache<String, String>> processes = List.of(process(), process());
        askAndWait(processes, warmUp(), CALLERS / 10);
        loads.set(0);

        List<RecordedEvent> pinned = pinnedDuring(() -> {
            askAndWait(processes, run, CALLERS);
            assertThat(loads).as("loads of cold keys").hasValue(KEYS);
            askAndWait(processes, run, CALLERS);
            assertThat(loads).as("hits load nothing").hasValue(KEYS);
        });

        assertThat(pinned).filteredOn(VirtualThreadsTest::isOfThisLibrary).isEmpty();
        assertThat(unanswered).as("reads that the store did not answer").hasValue(0);
    }

    @Test
    void asynchronousCallsAreAnsweredAndPinNothing() throws Exception {
        List<StampedeGuardedCache<String, String>> processes = List.of(process(), process());

        askAsynchronously(processes, warmUp(), CALLERS / 10);
        loads.set(0);

        List<RecordedEvent> pinned = pinnedDuring(() -> askAsynchronously(processes, run, CALLERS));

        assertThat(loads).hasValue(KEYS);
        assertThat(pinned).filteredOn(VirtualThreadsTest::isOfThisLibrary).isEmpty();
        assertThat(unanswered).hasValue(0);
    }

    /** Otherwise the tests above show nothing. */
    @Test
    void recordingShowsAThreadThatIsPinned() throws Exception {
        List<RecordedEvent> pinned = pinnedDuring(
                () -> assertThat(threads.submit(() -> new Pinning().done).get()).isTrue());

        assertThat(pinned).hasSize(ManyThreads.VIRTUAL ? 1 : 0);
        assertThat(FlightRecorder.getFlightRecorder().getEventTypes().stream().map(jdk.jfr.EventType::getName))
                .as("events that this JVM knows")
                .satisfies(names -> assertThat(names.contains(PINNED)).isEqualTo(ManyThreads.VIRTUAL));
    }

    /** A thread that waits in a class initializer cannot leave its carrier: there is a native frame below. */
    private static final class Pinning {
        private static final boolean WAITED = waited();

        private final boolean done = WAITED;

        private static boolean waited() {
            try {
                Thread.sleep(50);
                return true;
            } catch (InterruptedException e) {
                return false;
            }
        }
    }

    /**
     * Java loads, links, and initializes each class once, and pins threads that need it meanwhile, whatever the class.
     * So everything needed is used before, and what is nevertheless late is not counted.
     */
    private String warmUp() {
        return "warm:" + run;
    }

    /**
     * Nor is a thread that Java has pinned by itself, in a critical section of its own code: of that, the reason says no
     * more than that the thread could not be frozen. A frame of this library that pins is a "Native or VM frame on stack".
     */
    private static boolean isOfThisLibrary(RecordedEvent event) {
        String reason = event.hasField("pinnedReason") ? String.valueOf(event.getString("pinnedReason")) : "";
        return !reason.startsWith("Waited for initialization of ")
                && !reason.startsWith("Freeze or preempt failed")
                && event.getStackTrace().getFrames().stream()
                        .map(frame -> frame.getMethod().getName())
                        .noneMatch(name -> name.equals("loadClass") || name.equals("<clinit>"));
    }

    private void askAndWait(List<StampedeGuardedCache<String, String>> processes, String keys, int callers)
            throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<Future<String>> answers = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            StampedeGuardedCache<String, String> cache = processes.get(i % 2);
            String key = key(keys, i);
            Callable<String> caller = () -> {
                start.await();
                return cache.get(key, this::load);
            };
            answers.add(threads.submit(caller));
        }
        start.countDown();
        expectAnswers(answers, keys);
    }

    private void askAsynchronously(List<StampedeGuardedCache<String, String>> processes, String keys, int callers)
            throws Exception {
        List<CompletableFuture<String>> answers = IntStream.range(0, callers)
                .mapToObj(i -> processes.get(i % 2).getAsync(key(keys, i), this::begin))
                .toList();
        expectAnswers(answers, keys);
    }

    private static void expectAnswers(List<? extends Future<String>> answers, String keys) throws Exception {
        for (int i = 0; i < answers.size(); i++) {
            assertThat(answers.get(i).get(3, TimeUnit.MINUTES)).isEqualTo("value of " + key(keys, i));
        }
    }

    private static String key(String keys, int caller) {
        return keys + ":" + caller / 2 % KEYS;
    }

    private String load(String key) throws InterruptedException {
        Thread.sleep(100);
        loads.incrementAndGet();
        return "value of " + key;
    }

    private CompletableFuture<String> begin(String key) {
        return CompletableFuture.supplyAsync(
                () -> {
                    loads.incrementAndGet();
                    return "value of " + key;
                },
                CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS));
    }

    private StampedeGuardedCache<String, String> process() {
        // Queueing for 16 connections behind 10,000 others is fair, but slow on a busy machine.
        RedisStore store = RedisStore.connect(
                SharedRedis.uri(),
                RedisStoreOptions.builder()
                        .commandTimeout(Duration.ofSeconds(60))
                        .circuitBreaker(false)
                        .build());
        StampedeGuardedCache<String, String> cache = textCache("virtual", store)
                .policy(CachePolicy.builder()
                        // Longer than any machine stalls: a lease that ends causes a second load.
                        .leaseTtl(Duration.ofSeconds(30))
                        .waitTimeout(Duration.ofMinutes(2))
                        .build())
                .listener(new CacheListener() {
                    @Override
                    public void onEvent(String name, CacheEvent event) {
                        if (event == EventType.STORE_UNAVAILABLE) {
                            unanswered.incrementAndGet();
                        }
                    }
                })
                .build();
        open.add(cache);
        open.add(store);
        return cache;
    }

    private interface Work {
        void run() throws Exception;
    }

    private List<RecordedEvent> pinnedDuring(Work work) throws Exception {
        Path file = directory.resolve("recording.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(PINNED).withThreshold(Duration.ZERO).withStackTrace();
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(PINNED))
                .toList();
    }
}
