package io.stampedeguard.testbed.fleet;

import io.stampedeguard.testbed.ShutdownHooks;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Real JVMs that run the same main class, with the Java version and the class path of this one. They end with {@link
 * #close()}, when this JVM is ended politely (SIGTERM, Ctrl-C), and, since their input ends then, also when it is killed.
 * Their standard error appears on {@code System.err}. For one thread at a time, except {@link #close()}.
 *
 * <pre>{@code
 * try (Fleet fleet = Fleet.start(4, MemberCommand.of(Worker.class).withJvmOptions("-Xmx64m"))) {
 *     fleet.send(Message.of("prepare").with("callers", 64));
 *     fleet.collect("ready", Duration.ofSeconds(10));
 *     fleet.release();
 *     List<Message> figures = fleet.collect("done", Duration.ofMinutes(1));
 * }
 * }</pre>
 */
public final class Fleet implements AutoCloseable {
    /** Longer only if they hang: many JVMs that start on few busy processors take a while. */
    private static final Duration UP_WITHIN = Duration.ofMinutes(5);

    private static final Duration TICK = Duration.ofMillis(5);
    private static final long AHEAD_MICROS = TimeUnit.MILLISECONDS.toMicros(100);

    private final List<FleetMember> members = new CopyOnWriteArrayList<>();
    private final Thread hook = new Thread(this::end, "end-fleet");
    private final MemberCommand command;

    private Fleet(MemberCommand command) {
        this.command = command;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Starts the members and waits until each has opened its {@link FleetLink}.
     *
     * @throws IllegalStateException if a member does not come up; no member is left
     * @throws InterruptedException if this thread is interrupted; no member is left
     */
    public static Fleet start(int size, MemberCommand command) throws InterruptedException {
        Fleet fleet = begin(size, command);
        fleet.awaitStart();
        return fleet;
    }

    /**
     * Starts the members without waiting for them, so that the caller can do other work meanwhile.
     *
     * @return a fleet; the caller must call {@link #awaitStart()}
     */
    public static Fleet begin(int size, MemberCommand command) {
        Fleet fleet = new Fleet(command);
        try {
            for (int i = 0; i < size; i++) {
                fleet.members.add(new FleetMember(i, command.start()));
            }
            return fleet;
        } catch (RuntimeException e) {
            fleet.close();
            throw e;
        }
    }

    /**
     * Waits until each member has opened its {@link FleetLink}.
     *
     * @throws IllegalStateException if a member does not come up; no member is left
     * @throws InterruptedException if this thread is interrupted; no member is left
     */
    public void awaitStart() throws InterruptedException {
        try {
            collect(FleetLink.STARTED.verb(), UP_WITHIN);
        } catch (RuntimeException | InterruptedException e) {
            close();
            throw e;
        }
    }

    /**
     * Kills a member, and starts another in its place.
     *
     * @return the new member, which has opened its {@link FleetLink}
     * @throws IllegalStateException if it does not come up
     */
    public FleetMember replace(int index) throws InterruptedException {
        members.get(index).kill();
        FleetMember next = new FleetMember(index, command.start());
        members.set(index, next);
        next.receive(FleetLink.STARTED.verb(), UP_WITHIN);
        return next;
    }

    /** Requires that no member has ended. */
    public void requireAllAlive() {
        members.forEach(FleetMember::requireAlive);
    }

    /** {@return the members in the order of their numbers, for instance to kill or pause one of them} */
    public List<FleetMember> members() {
        return List.copyOf(members);
    }

    /** Sends the same message to all members. */
    public void send(Message message) {
        members.forEach(member -> member.send(message));
    }

    /**
     * Releases all members at one instant in the near future, by the clock that they share. They receive it from {@link
     * FleetLink#receiveRelease()}.
     *
     * @return the instant, in microseconds since the epoch
     */
    public long release() {
        long instant = WallClock.micros() + AHEAD_MICROS;
        members.forEach(member -> member.releaseAt(instant));
        return instant;
    }

    /**
     * Waits for one message of each member; other messages are ignored.
     *
     * @throws IllegalStateException if a member ends, or sends no such message in time
     */
    public List<Message> collect(String verb, Duration within) throws InterruptedException {
        return collect(verb, within, (member, other) -> {});
    }

    /**
     * Waits for one message of each member, and passes other messages to a consumer until then.
     *
     * @param others the consumer of messages with another verb; called on this thread
     * @throws IllegalStateException if a member ends, or sends no such message in time
     */
    public List<Message> collect(String verb, Duration within, BiConsumer<FleetMember, Message> others)
            throws InterruptedException {
        long deadline = System.nanoTime() + within.toNanos();
        Map<FleetMember, Message> collected = new HashMap<>();
        while (collected.size() < members.size()) {
            for (FleetMember member : members) {
                if (!collected.containsKey(member)) {
                    Message message = member.poll(TICK);
                    if (message != null && message.verb().equals(verb)) {
                        collected.put(member, message);
                    } else if (message != null) {
                        others.accept(member, message);
                    } else if (System.nanoTime() > deadline) {
                        throw new IllegalStateException(
                                member + " did not send '" + verb + "' within " + within.toSeconds() + " s");
                    }
                }
            }
        }
        return members.stream().map(collected::get).toList();
    }

    /** Kills the remaining members and returns when their processes have ended. */
    @Override
    public void close() {
        end();
        ShutdownHooks.remove(hook);
    }

    private void end() {
        members.forEach(FleetMember::kill);
    }
}
