package fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@link Member}, seen by the judge. <em>Thread-safe.</em> */
final class Worker implements AutoCloseable {
    /** A call that takes so long hangs, however busy the machine is. */
    static final int HANGS_AFTER_SECONDS = 60;

    /** A line of a member. */
    private static final Pattern SAID = Pattern.compile("(load|answer) ([0-9]+) (.*)");

    private final String name;
    private final Process process;
    private final Origin origin;
    private final Map<String, CompletableFuture<String>> calls = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    private Worker(String name, Process process, Origin origin) {
        this.name = name;
        this.process = process;
        this.origin = origin;
    }

    /** Starts a process with a version of the library. */
    static Worker start(String version, String classPath, String redis, Origin origin) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx96m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                        "-cp",
                        classPath,
                        Member.class.getName(),
                        redis)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Worker worker = new Worker("a process of " + version, process, origin);
        Thread reader = new Thread(worker::read);
        reader.setDaemon(true);
        reader.start();
        return worker;
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher said = SAID.matcher(line);
                if (!said.matches()) { // but by its JVM, such as a warning
                    System.err.println(name + ": " + line);
                } else if (said.group(1).equals("load")) {
                    origin.asked(new Origin.Load(this, said.group(2), said.group(3)));
                } else {
                    calls.remove(said.group(2)).complete(said.group(3));
                }
            }
        } catch (IOException e) {
            // It has ended, as below.
        }
        calls.values().forEach(call -> call.complete("has ended"));
    }

    /** Begins a call. */
    CompletableFuture<String> begin(String call) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        String number = String.valueOf(numbers.incrementAndGet());
        calls.put(number, answer);
        tell(number + " " + call);
        return answer;
    }

    void tell(String line) {
        try {
            synchronized (process) {
                process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
                process.getOutputStream().flush();
            }
        } catch (IOException e) {
            throw new Violation(name + " has ended");
        }
    }

    /** Returns the answer to a call. */
    String call(String call) throws InterruptedException {
        return awaited(begin(call), call);
    }

    /** Returns the answer to a call that has begun. */
    String awaited(CompletableFuture<String> answer, String call) throws InterruptedException {
        try {
            return answer.get(HANGS_AFTER_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new Violation(name + " did not answer: " + call);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String toString() {
        return name;
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
