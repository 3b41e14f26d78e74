package io.stampedeguard.internal.spi;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of the changes of all entries of a cache at once, or of all with a tag ({@link Change.OfAll}). A store that
 * does not make them one by one raises the cache's <em>generation</em>, a number, with each of them; an entry bears as its
 * <em>stamp</em> a generation that was known before its load began. What follows from that is the business of the entries.
 *
 * <p>The marks of the latest 10,000 tags are kept. Those that are dropped become a removal of everything up to their generation:
 * entries that were loaded later are not affected.
 *
 * <p>Whatever a store answers, this contains what the store knew at that moment when the caller has the answer. What was known once
 * stays known, also if the store loses it. <em>Thread-safe.</em>
 */
public final class Marks {
    /** What is known now. Read directly, since it is on the path of each hit. */
    public final AtomicReference<Known> known = new AtomicReference<>(Known.NOTHING);

    /** The tag of entries of which nobody knows the tags: each mark of a tag is one of theirs. It is none that users can give. */
    public static final String ANY_TAG = "";

    private static final int MOST_TAGS = 11_000;
    private static final int DROPPED_TOGETHER = 1_000;

    private final Map<String, OfTag> ofTags = new ConcurrentHashMap<>();

    private final List<Runnable> watchers = new CopyOnWriteArrayList<>();

    /**
     * The generation, and those of the last removal and of the last expiry of all, and of the last change of a tag; zero for none.
     *
     * @param removed the generation that the last removal has raised it to
     * @param expired the generation that the last expiry has raised it to
     * @param tagged the generation that the last change of a tag has raised it to
     */
    public record Known(long generation, long removed, long expired, long tagged) {
        /** What is known of a cache of which not all entries were changed at once yet. */
        public static final Known NOTHING = new Known(0, 0, 0);

        /** Creates what is known of a cache without tags. */
        public Known(long generation, long removed, long expired) {
            this(generation, removed, expired, 0);
        }

        /** {@return the generation of the last change} */
        public long last() {
            return Math.max(tagged, Math.max(removed, expired));
        }

        private Known raised(boolean removes, boolean isOfAll, long atLeast) {
            long raised = Math.max(generation + 1, atLeast);
            return new Known(
                    raised,
                    isOfAll && removes ? raised : removed,
                    isOfAll && !removes ? raised : expired,
                    isOfAll ? tagged : raised);
        }

        private Known with(Known other) {
            return new Known(
                    Math.max(generation, other.generation),
                    Math.max(removed, other.removed),
                    Math.max(expired, other.expired),
                    Math.max(tagged, other.tagged));
        }
    }

    /**
     * The marks of one tag.
     *
     * @param removed the generation of its last removal; zero for none
     * @param expired the generation of its last expiry; zero for none
     */
    public record OfTag(long removed, long expired) {
        /** {@return the later ones of both} */
        public OfTag with(OfTag other) {
            return new OfTag(Math.max(removed, other.removed), Math.max(expired, other.expired));
        }

        /** {@return the generation of the last change} */
        public long last() {
            return Math.max(removed, expired);
        }
    }

    /**
     * {@return what is known of a cache, always the same object if its store has the ability}
     *
     * @param keeper the store's ability, {@code null} if it does not have it: then nothing is ever known
     */
    public static Marks of(@Nullable Keeper keeper, String cache) {
        return keeper == null ? new Marks() : keeper.marks(cache);
    }

    /**
     * Takes what the store knows; returns whether that is less than this process knows: the store has lost something, or its answer
     * is older.
     */
    public boolean learn(Known answered) {
        Known before = known.getAndAccumulate(answered, Known::with);
        Known now = before.with(answered);
        if (now.removed > before.removed) {
            ofTags.values().removeIf(each -> each.last() <= now.removed);
        }
        if (now.removed > before.removed || now.expired > before.expired || now.tagged > before.tagged) {
            watchers.forEach(Runnable::run);
        }
        return !now.equals(answered);
    }

    /**
     * Watches for changes of all entries, or of those with a tag.
     *
     * @param onChange what to do after this process has learned of one, wherever it was made; must neither block nor throw
     * @return the watch, until it is closed
     */
    public Watch watch(Runnable onChange) {
        watchers.add(onChange);
        return () -> watchers.remove(onChange);
    }

    /** Takes marks of tags; what was known of a tag stays known. */
    public void learn(Map<String, OfTag> marks) {
        if (marks.isEmpty()) {
            return;
        }
        marks.forEach((tag, mark) -> ofTags.merge(tag, mark, OfTag::with));
        watchers.forEach(Runnable::run);
        if (ofTags.size() > MOST_TAGS) {
            long[] inOrder =
                    ofTags.values().stream().mapToLong(OfTag::last).sorted().toArray();
            long dropped = inOrder[Math.min(inOrder.length - 1, inOrder.length - MOST_TAGS + DROPPED_TOGETHER)];
            learn(new Known(dropped, dropped, 0));
        }
    }

    /** {@return the marks of tags above a generation} */
    public Map<String, OfTag> ofTagsAbove(long generation) {
        Map<String, OfTag> some = new ConcurrentHashMap<>(ofTags);
        some.values().removeIf(each -> each.last() <= generation);
        return some;
    }

    /** {@return whether an entry was removed since, with all others or with all of one of its tags} */
    public boolean isRemoved(long stamp, Collection<String> tags) {
        return stamp < known.get().removed || isAnyAbove(stamp, tags, true);
    }

    /** {@return whether an entry was expired since, with all others or with all of one of its tags} */
    public boolean isExpired(long stamp, Collection<String> tags) {
        return stamp < known.get().expired || isAnyAbove(stamp, tags, false);
    }

    /** {@return whether what has a stamp was removed or expired since, with all others or with all of one of its tags} */
    public boolean isOutdated(long stamp, Collection<String> tags) {
        return stamp < known.get().last() && (isRemoved(stamp, tags) || isExpired(stamp, tags));
    }

    private boolean isAnyAbove(long stamp, Collection<String> tags, boolean removed) {
        for (String tag : tags) {
            OfTag mark = ofTags.get(tag);
            boolean isMarked = mark != null && stamp < (removed ? mark.removed : mark.expired);
            if (isMarked || (tag.equals(ANY_TAG) && stamp < known.get().tagged)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Notes a change that the store has not made, or that is one of a store in this process: what this process knew of the store's
     * entries counts as changed from now on, and what it loads from now on does not. Another store learns of it like one that it has
     * lost.
     *
     * @param removes whether it is a removal, not an expiry
     * @param tags the tags of the entries; none for all entries
     * @param atLeast a generation that the store's has not reached; the change has this one, or a later one than any that is known
     */
    public void raise(boolean removes, Collection<String> tags, long atLeast) {
        Known before;
        Known raised;
        do { // first the marks of the tags: whoever sees the generation knows them
            before = known.get();
            raised = before.raised(removes, tags.isEmpty(), atLeast);
            OfTag mark = removes ? new OfTag(raised.generation, 0) : new OfTag(0, raised.generation);
            tags.forEach(tag -> learn(Map.of(tag, mark)));
        } while (!known.compareAndSet(before, raised));
        watchers.forEach(Runnable::run);
    }

    /** The optional ability of a store that does not change all entries of a cache one by one. */
    @FunctionalInterface
    public interface Keeper {
        /** {@return what this process knows of a cache, always the same object} Sends nothing. */
        Marks marks(String cache);
    }
}
