package io.stampedeguard.testkit;

import io.stampedeguard.internal.spi.InvalidationEvents;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Records notifications of changes, and their times. <em>Thread-safe.</em> */
public final class ChangesEar implements InvalidationEvents.Listener {
    private final List<String> words = new CopyOnWriteArrayList<>();
    private final List<Proof> proofs = new CopyOnWriteArrayList<>();
    private final AtomicInteger inCall = new AtomicInteger();
    private volatile boolean disturbed;

    /**
     * A proof that no change up to a moment is missing.
     *
     * @param nanos the moment, by {@link System#nanoTime}
     * @param ageNanos how long ago that was at the notification
     * @param wordsBefore the number of earlier notifications
     */
    public record Proof(long nanos, long ageNanos, int wordsBefore) {}

    private void hear(Runnable step) {
        disturbed |= inCall.incrementAndGet() > 1;
        step.run();
        inCall.decrementAndGet();
    }

    @Override
    public void listening() {
        hear(() -> words.add("listening"));
    }

    @Override
    public void completeUpTo(LongSupplier ageNanos) {
        long now = System.nanoTime();
        long age = ageNanos.getAsLong();
        hear(() -> proofs.add(new Proof(now - age, age, words.size())));
    }

    @Override
    public void changed(String key) {
        hear(() -> words.add("changed " + key));
    }

    @Override
    public void changedAll() {
        hear(() -> words.add("changed all"));
    }

    @Override
    public void disconnected() {
        hear(() -> words.add("disconnected"));
    }

    /** Returns all notifications except the proofs, in order. */
    public List<String> words() {
        return words;
    }

    /** Returns the proofs, in order. */
    public List<Proof> proofs() {
        return proofs;
    }

    /** Returns the length of the time for which it was repeatedly proven that no change is missing. */
    public long provenNanos() {
        return proofs.isEmpty()
                ? 0
                : proofs.get(proofs.size() - 1).nanos() - proofs.get(0).nanos();
    }

    /** Returns how often a notification occurred. */
    public long count(String word) {
        return words.stream().filter(word::equals).count();
    }

    /** Returns whether a change of a key was reported. */
    public boolean heard(String key) {
        return words.contains("changed " + key);
    }

    /** Returns whether it was called during another call. */
    public boolean isDisturbed() {
        return disturbed;
    }

    /** Waits until it is connected for the nth time. */
    public void awaitListening(int times) {
        Fleet.until(() -> count("listening") >= times);
    }

    /** Waits until the change of a key is reported. */
    public void awaitChanged(String key) {
        Fleet.until(() -> heard(key));
    }

    /** Waits until it is disconnected for the nth time. */
    public void awaitDisconnected(int times) {
        Fleet.until(() -> count("disconnected") >= times);
    }

    /** Waits until no change made before this call is missing. */
    public void awaitAll() {
        long now = System.nanoTime();
        Fleet.until(() -> proofs.stream().anyMatch(proof -> proof.nanos() - now >= 0));
    }
}
