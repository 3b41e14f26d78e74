package io.stampedeguard.internal.spi;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of the changes of all entries of a cache at once ({@link Change.OfAll}). A store that does not make them
 * one by one raises the cache's <em>generation</em>, a number, with each of them; an entry bears as its <em>stamp</em> a generation
 * that was known before its load began. What follows from that is the business of the entries.
 *
 * <p>Whatever a store answers, this contains what the store knew at that moment when the caller has the answer. What was known once
 * stays known, also if the store loses it. <em>Thread-safe.</em>
 */
public final class Marks {
    /** What is known now. Read directly, since it is on the path of each hit. */
    public final AtomicReference<Known> known = new AtomicReference<>(Known.NOTHING);

    private final List<Runnable> watchers = new CopyOnWriteArrayList<>();

    /**
     * The generation, and those of the last removal and of the last expiry; zero for none.
     *
     * @param generation the generation
     * @param removed the generation that the last removal has raised it to
     * @param expired the generation that the last expiry has raised it to
     */
    public record Known(long generation, long removed, long expired) {
        /** What is known of a cache of which not all entries were changed at once yet. */
        public static final Known NOTHING = new Known(0, 0, 0);

        private Known with(Known other) {
            return new Known(
                    Math.max(generation, other.generation),
                    Math.max(removed, other.removed),
                    Math.max(expired, other.expired));
        }

        private Known raised(boolean removes, long atLeast) {
            long raised = Math.max(generation + 1, atLeast);
            return new Known(raised, removes ? raised : removed, removes ? expired : raised);
        }
    }

    /**
     * {@return what is known of a cache, always the same object if its store has the ability}
     *
     * @param keeper the store's ability, {@code null} if it does not have it: then nothing is ever known
     * @param cache the cache's name
     */
    public static Marks of(@Nullable Keeper keeper, String cache) {
        return keeper == null ? new Marks() : keeper.marks(cache);
    }

    /**
     * Takes what the store knows; returns whether that is less than this process knows: the store has lost something, or its answer
     * is older.
     *
     * @param answered what the store knows
     */
    public boolean learn(Known answered) {
        Known before = known.getAndAccumulate(answered, Known::with);
        Known now = before.with(answered);
        if (now.removed > before.removed || now.expired > before.expired) {
            watchers.forEach(Runnable::run);
        }
        return !now.equals(answered);
    }

    /**
     * Watches for changes of all entries.
     *
     * @param onChange what to do after this process has learned of one, wherever it was made; must neither block nor throw
     * @return the watch, until it is closed
     */
    public Watch watch(Runnable onChange) {
        watchers.add(onChange);
        return () -> watchers.remove(onChange);
    }

    /**
     * Notes a change of all entries that the store has not made: what this process knew of the store's entries counts as changed from
     * now on, and what it loads from now on does not. The store learns of it like one that it has lost.
     *
     * @param removes whether it is a removal, not an expiry
     * @param atLeast a generation that the store's has not reached; the change has this one, or a later one than any that is known
     */
    public void raise(boolean removes, long atLeast) {
        known.updateAndGet(before -> before.raised(removes, atLeast));
        watchers.forEach(Runnable::run);
    }

    /** The optional ability of a store that does not change all entries of a cache one by one. */
    @FunctionalInterface
    public interface Keeper {
        /**
         * {@return what this process knows of a cache, always the same object} Sends nothing.
         *
         * @param cache the cache's name
         */
        Marks marks(String cache);
    }
}
