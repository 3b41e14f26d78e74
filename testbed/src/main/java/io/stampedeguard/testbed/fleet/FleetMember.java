package io.stampedeguard.testbed.fleet;

import io.stampedeguard.testbed.Daemon;
import io.stampedeguard.testbed.Signal;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One JVM of a {@link Fleet}, seen from its parent. <em>Thread-safe.</em> */
public final class FleetMember {
    /** No line can contain this message: its verb is two words. */
    private static final Message ENDED = Message.of("has ended");

    /** How the JVM begins the line that tells why it ends, and {@link FleetLink#orEnd} as well. */
    private static final Pattern REASON = Pattern.compile("(Exception in thread |Error|Unrecognized |Terminating ).*");

    /** All that is written was read long before, unless a process that the member has started keeps the stream open. */
    private static final long READ_WITHIN_SECONDS = 60;

    private final int index;
    private final Process process;
    private final BlockingQueue<Message> inbox = new LinkedBlockingQueue<>();

    /** Messages that were received while others were awaited, in their order. */
    private final Queue<Message> kept = new ConcurrentLinkedQueue<>();

    /** The first line on standard error that tells why the process ends, empty if there is none; known when the stream ends. */
    private final CompletableFuture<String> reason = new CompletableFuture<>();

    FleetMember(int index, Process process) {
        this.index = index;
        this.process = process;
        Daemon.start("fleet-member-" + index, this::readUntilItEnds);
        Daemon.start("fleet-member-errors-" + index, this::copyErrorsUntilItEnds);
    }

    /** {@return the number of this member, from 0} */
    public int index() {
        return index;
    }

    /** {@return the operating system's process id} */
    public long pid() {
        return process.pid();
    }

    /** {@return whether the process exists, paused or not} */
    public boolean isAlive() {
        return process.isAlive();
    }

    void requireAlive() {
        if (!isAlive()) {
            throw ended();
        }
    }

    /**
     * Sends a message to the member, which need not be waiting for it.
     *
     * @throws MemberEndedException if the process has ended
     */
    public void send(Message message) {
        byte[] line = (message.line() + "\n").getBytes(StandardCharsets.UTF_8);
        try {
            OutputStream toMember = process.getOutputStream();
            toMember.write(line);
            toMember.flush();
        } catch (IOException e) {
            throw ended();
        }
    }

    /**
     * Releases this member alone at an instant, which it receives from {@link FleetLink#receiveRelease()}.
     *
     * @param micros the instant, in microseconds since the epoch, preferably in the near future
     * @throws MemberEndedException if the process has ended
     */
    public void releaseAt(long micros) {
        send(Message.of(FleetLink.RELEASE).with(FleetLink.AT_MICROS, micros));
    }

    /**
     * {@return the next message of this member, after waiting for it}
     *
     * @throws MemberEndedException if the process has ended
     * @throws IllegalStateException if it sends nothing in time
     */
    public Message receive(Duration within) throws InterruptedException {
        Message message = poll(within);
        if (message == null) {
            throw new IllegalStateException(this + " sent nothing for " + within.toSeconds() + " s");
        }
        return message;
    }

    /**
     * {@return the next message of this member with a verb, after waiting for it} Other messages are kept for later calls. For one
     * thread at a time.
     *
     * @throws MemberEndedException if the process has ended
     * @throws IllegalStateException if it sends nothing in time
     */
    public Message receive(String verb, Duration within) throws InterruptedException {
        for (Message message : kept) {
            if (message.verb().equals(verb)) {
                kept.remove(message);
                return message;
            }
        }
        Message message = next(within);
        while (message == null || !message.verb().equals(verb)) {
            if (message == null) {
                throw new IllegalStateException(
                        this + " did not send '" + verb + "' within " + within.toSeconds() + " s");
            }
            kept.add(message);
            message = next(within);
        }
        return message;
    }

    /**
     * {@return the next message of this member, after waiting for it; {@code null} if none comes in time}
     *
     * @throws MemberEndedException if the process has ended
     */
    public @Nullable Message poll(Duration within) throws InterruptedException {
        Message earlier = kept.poll();
        return earlier == null ? next(within) : earlier;
    }

    private @Nullable Message next(Duration within) throws InterruptedException {
        Message message = inbox.poll(within.toNanos(), TimeUnit.NANOSECONDS);
        if (ENDED.equals(message)) {
            inbox.add(ENDED);
            throw ended();
        }
        return message;
    }

    /** Kills the process ({@code kill -9}) and returns when it has ended. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    /**
     * Pauses the process (SIGSTOP), and returns when it is paused: it neither runs nor ends until {@link #cont()} or
     * {@link #kill()}.
     */
    public void stop() {
        Signal.send("STOP", pid(), this);
        while (isAlive() && !state().startsWith("T")) {
            // The signal was sent; on a busy machine the process handles it only when it gets a processor.
        }
    }

    /** Resumes a paused process (SIGCONT). */
    public void cont() {
        Signal.send("CONT", pid(), this);
    }

    private String state() {
        ProcessBuilder ps = new ProcessBuilder("ps", "-o", "state=", "-p", Long.toString(pid()));
        try (InputStream state = ps.start().getInputStream()) {
            return new String(state.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("could not read the state of " + this, e);
        }
    }

    private void readUntilItEnds() {
        Lines.read(process.getInputStream(), line -> inbox.add(Message.parse(line)));
        inbox.add(ENDED);
    }

    /** Copies to {@code System.err}, so that a replacement of it, as by a test runner, receives the members' errors, too. */
    private void copyErrorsUntilItEnds() {
        List<String> reasons = new ArrayList<>();
        Lines.read(process.getErrorStream(), line -> {
            System.err.println(line);
            if (reasons.isEmpty() && REASON.matcher(line).matches()) {
                reasons.add(line);
            }
        });
        reason.complete(String.join("", reasons));
    }

    private MemberEndedException ended() {
        int code = process.onExit().join().exitValue();
        String why = reason.completeOnTimeout("", READ_WITHIN_SECONDS, TimeUnit.SECONDS)
                .join();
        return new MemberEndedException(this + " ended, exit code " + code + (why.isEmpty() ? "" : ": " + why));
    }

    /** Returns number and process id. */
    @Override
    public String toString() {
        return "member " + index + " (process " + pid() + ")";
    }
}
