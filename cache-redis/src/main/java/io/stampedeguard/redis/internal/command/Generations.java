package io.stampedeguard.redis.internal.command;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.failure.CallbackLog;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.spi.Marks.Known;
import io.stampedeguard.internal.spi.Marks.OfTag;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.EntryReads.Generation;
import io.stampedeguard.redis.internal.command.EntryReads.Generation.Question;
import io.stampedeguard.redis.internal.command.KeyedCommand.PlainCommand;
import io.stampedeguard.redis.internal.command.Script.LeaseScripts;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The generations of caches, {@code {products:}:gen}:
 * <ol>
 *   <li>a single server tells them along with the entries ({@link EntryReads});
 *   <li>on a cluster, where a generation may be on another master than an entry, it is asked for in the background, repeatedly.
 *       Whoever uses the cache before the first answer waits for it: what is stored may be from before a change of all entries.
 *       While there is none, the store counts as not answering;
 *   <li>a generation tells when a tag was changed last, but not which one: whoever does not know asks ({@code mark.lua}), once for
 *       all callers of this process, before what has come along with it is used;
 *   <li>Redis may lose one, by a failover or a restart: whoever has known a later one writes it back, once a second at most.
 * </ol>
 *
 * <p><em>Thread-safe.</em>
 */
final class Generations implements Marks.Keeper {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);
    private static final Pattern STORED = Pattern.compile("(\\d{1,14}) (\\d{1,14}) (\\d{1,14})(?: (\\d{1,14}))?");
    private static final Script MARK = Script.load("marks", "mark");
    private static final char REMOVED = 'R';
    private static final char EXPIRED = 'E';
    private static final String ASKED = "asked";
    private static final int MOST_WRITTEN_BACK = 1_000;
    private static final long RESTORED_EACH_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long ASKED_EACH_NANOS = Duration.ofMillis(500).toNanos();
    private static final long ASKED_FIRST_EACH_NANOS = Duration.ofMillis(100).toNanos();

    /** Those of the caches that have asked for their marks: few, never changed, and read directly by each hit. */
    final AtomicReference<List<Generation>> all = new AtomicReference<>(List.of());

    private final Commands commands;
    private final RedisKeys keys;
    private final BackgroundThreads threads;
    private final TimeSource time;
    /** Whether each key may be on a master of its own: of a cluster, or of one behind one address, as far as known. */
    final AtomicBoolean isOfCluster;

    private volatile boolean isClosed;

    Generations(Commands commands, RedisKeys keys, BackgroundThreads threads, boolean isOfCluster, TimeSource time) {
        this.commands = commands;
        this.keys = keys;
        this.threads = threads;
        this.isOfCluster = new AtomicBoolean(isOfCluster);
        this.time = time;
    }

    @Override
    public Marks marks(String cache) {
        Generation begun = new Generation(cache, keys, this::lost);
        List<Generation> now = all.updateAndGet(before -> named(before, cache) == null
                ? Stream.concat(before.stream(), Stream.of(begun)).toList()
                : before);
        if (now.contains(begun) && isOfCluster.get()) {
            threads.execute(() -> ask(begun));
        }
        return requireNonNull(named(now, cache)).marks;
    }

    private static @Nullable Generation named(List<Generation> some, String cache) {
        return some.stream().filter(each -> each.cache.equals(cache)).findAny().orElse(null);
    }

    /** Notes that the server is in cluster mode, and begins to ask for all generations, unless that is known. */
    void foundCluster() {
        if (isOfCluster.compareAndSet(false, true)) {
            all.get().forEach(each -> threads.execute(() -> ask(each)));
            LOG.warn(
                    "Redis{} is a cluster behind one address: each key is read by a command of its own, since those of one"
                            + " command must be in one slot; redis-cluster:// may reach its masters directly",
                    commands.where());
        }
    }

    /** Calls {@code mark.lua} with what is known, and learns from the answer; returns it. Throws a {@link StoreException}. */
    Object mark(Turn turn, String notDone, String cache, String change, Collection<String> tags) {
        Generation generation = named(all.get(), cache);
        if (generation == null) {
            Script.Call call = call(cache, change, tags, Known.NOTHING, Long.MAX_VALUE, Map.of());
            return commands.change(turn, notDone, cache, call, answer -> answer);
        }
        // Another thread may have been told of a change of a tag, and not have noted it yet.
        long told = generation.told.get();
        Known noted = generation.marks.known.get();
        long tagged = Math.max(noted.tagged(), told);
        Map<String, OfTag> ofTags = generation.perhapsLost();
        long lost = generation.lost.get();
        boolean areTooMany =
                ofTags.values().stream().filter(each -> each.last() > lost).count() > MOST_WRITTEN_BACK;
        long removed = areTooMany ? Math.max(noted.removed(), tagged) : noted.removed();
        Known known = new Known(noted.generation(), removed, noted.expired(), tagged);
        Script.Call call =
                call(cache, change, tags, known, generation.complete.get(), areTooMany ? Map.of() : latest(ofTags));
        Object answer = commands.change(turn, notDone, cache, call, each -> each);
        if (!change.equals(ASKED)) {
            generation.writtenBack();
        }
        generation.learn(Marked.of(answer), call, told);
        return answer;
    }

    /** Returns the latest marks, at most as many as are written back at once. If Redis has lost some, they are among these. */
    private static Map<String, OfTag> latest(Map<String, OfTag> ofTags) {
        return ofTags.size() <= MOST_WRITTEN_BACK
                ? ofTags
                : ofTags.entrySet().stream()
                        .sorted(Comparator.comparingLong(
                                each -> -each.getValue().last()))
                        .limit(MOST_WRITTEN_BACK)
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Asks for the marks of tags that a generation tells of, or waits for the thread that does. Throws a {@link StoreException}. */
    void catchUp(Generation generation) {
        while (generation.isBehind()) {
            Question mine = new Question();
            Question other = generation.begin(mine);
            if (other == null) {
                ask(generation, mine);
            } else {
                await(
                        other,
                        commands.borrowTimeout().toNanos(),
                        "which tags of cache '" + generation.cache + "' were changed is not known yet: ");
            }
        }
    }

    private void ask(Generation generation, Question question) {
        try {
            mark(commands.defaultTurn(), "learn which tags were changed of cache", generation.cache, ASKED, Set.of());
        } catch (StoreException unanswered) {
            question.failure = unanswered;
            throw unanswered;
        } finally {
            generation.end(question);
        }
    }

    private void await(Question asked, long nanos, String notKnown) {
        try {
            boolean isOver = time.await(asked.over, nanos);
            StoreException failure = asked.failure;
            if (failure != null) {
                throw new StoreException(notKnown + failure.getMessage(), failure);
            } else if (!isOver) {
                throw new StoreException(notKnown + "no answer in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(notKnown + "interrupted", e);
        }
    }

    /** Takes what is stored, {@code null} for nothing, and asks for the marks of tags of which it tells. */
    void learn(String cache, byte @Nullable [] stored) {
        Generation generation = named(all.get(), cache);
        if (generation != null) {
            generation.learn(stored);
            catchUp(generation);
        }
    }

    /** Ends the questions. */
    void close() {
        isClosed = true;
    }

    /** Writes back what Redis knows no more. */
    private void lost(Generation generation) {
        if (generation.isRestoring.compareAndSet(false, true)) {
            threads.later(RESTORED_EACH_NANOS, () -> generation.isRestoring.set(false));
            String cache = generation.cache;
            threads.execute(() -> guarded(
                    generation,
                    () -> mark(commands.defaultTurn(), "restore the generation of cache", cache, "", Set.of())));
        }
    }

    /** Asks for a generation, now and again, also after an Error: by a command for which a value of another type is none. */
    private void ask(Generation generation) {
        String cache = generation.cache;
        PlainCommand question = PlainCommand.entry(generation.key);
        try {
            generation.asked(guarded(generation, () -> {
                generation.learn(PlainCommand.entryIn(commands.requestAll(
                                commands.defaultTurn(), "read the generation of cache", cache, List.of(question))
                        .get(0)));
                catchUp(generation);
            }));
        } finally {
            if (!isClosed) {
                boolean isKnown = generation.firstQuestion() == null;
                threads.later(isKnown ? ASKED_EACH_NANOS : ASKED_FIRST_EACH_NANOS, () -> ask(generation));
            }
        }
    }

    /**
     * Waits until a cluster has told a generation for the first time, if its first question is not over.
     * Throws a {@link StoreException} if it has not.
     */
    void awaitFirstAnswer(Generation generation, Turn turn) {
        Question open = generation.firstQuestion();
        if (open == null) {
            return; // on the path of each read
        }
        turn.begin(time);
        await(
                open,
                Math.max(0, turn.leftNanos(time)),
                "whether all entries of cache '" + generation.cache + "' were changed is not known yet: ");
    }

    /** Returns why there was no answer, {@code null} if there was. */
    private @Nullable StoreException guarded(Generation generation, Runnable request) {
        try {
            request.run();
            return null;
        } catch (StoreException unanswered) {
            CallbackLog.debug(LOG, "Redis did not answer a request for the generation of a cache", unanswered);
            if (RedisFailure.isForbidden(unanswered) && generation.isWarned.compareAndSet(false, true)) {
                String key = KeyEncoder.printable(new String(generation.key, StandardCharsets.UTF_8));
                LOG.warn(
                        "The user of Redis{} may not read or write {}: not every process notices invalidateAll and expireAll;"
                                + " permit ~{}",
                        commands.where(),
                        key,
                        key);
            }
            return unanswered;
        }
    }

    /**
     * Removes or expires all entries of a cache, or those with tags ({@code removed}, {@code expired}), only writes back what is
     * known (empty), or only asks ({@code asked}). All marks of tags are known up to {@code complete}; {@code ofTags} are those
     * that Redis may have lost.
     */
    private Script.Call call(
            String cache,
            String change,
            Collection<String> tags,
            Known known,
            long complete,
            Map<String, OfTag> ofTags) {
        List<byte[]> arguments = new ArrayList<>();
        for (Object each : List.of(change, known.generation(), known.removed(), known.expired(), known.tagged())) {
            arguments.add(LeaseScripts.text(each));
        }
        arguments.add(keys.changes(cache));
        arguments.add(LeaseScripts.text(complete));
        arguments.add(LeaseScripts.text(tags.size()));
        tags.forEach(tag -> arguments.add(LeaseScripts.text(tag)));
        ofTags.forEach((tag, mark) -> {
            addMark(arguments, REMOVED + tag, mark.removed());
            addMark(arguments, EXPIRED + tag, mark.expired());
        });
        byte[] generation = keys.generation(cache);
        boolean isTagged = !tags.isEmpty() || !ofTags.isEmpty() || known.tagged() != 0;
        return new Script.Call(
                MARK, isTagged ? List.of(generation, keys.marks(cache)) : List.of(generation), arguments);
    }

    private static void addMark(List<byte[]> arguments, String mark, long generation) {
        if (generation != 0) {
            arguments.add(LeaseScripts.text(mark));
            arguments.add(LeaseScripts.text(generation));
        }
    }

    /** Returns what is meant; what another program has stored means nothing, as in {@code marks.lua}. */
    static Known parsed(byte @Nullable [] stored) {
        Matcher parts = STORED.matcher(stored == null ? "" : new String(stored, StandardCharsets.ISO_8859_1));
        if (!parts.matches()) {
            return Known.NOTHING;
        }
        long removed = Long.parseLong(parts.group(2));
        long expired = Long.parseLong(parts.group(3));
        long tagged = parts.group(4) == null ? 0 : Long.parseLong(parts.group(4));
        long generation = Math.max(Long.parseLong(parts.group(1)), Math.max(tagged, Math.max(removed, expired)));
        return new Known(generation, removed, expired, tagged);
    }

    /** The answer of {@code mark.lua}: what is stored as the generation, the marks of tags that were not known, and whether some are missing. */
    record Marked(byte[] stored, Map<String, OfTag> missed, boolean lacks) {
        static Marked of(Object reply) {
            List<?> answer = (List<?>) reply;
            List<?> pairs = (List<?>) answer.get(2);
            Map<String, OfTag> missed = new HashMap<>();
            for (int at = 0; at < pairs.size(); at += 2) {
                String mark = new String((byte[]) pairs.get(at), StandardCharsets.UTF_8);
                long generation =
                        (long) Double.parseDouble(new String((byte[]) pairs.get(at + 1), StandardCharsets.US_ASCII));
                boolean isRemoved = mark.charAt(0) == REMOVED;
                missed.merge(
                        mark.substring(1),
                        new OfTag(isRemoved ? generation : 0, isRemoved ? 0 : generation),
                        OfTag::with);
            }
            return new Marked((byte[]) answer.get(0), missed, LeaseScripts.isDone(answer.get(3)));
        }
    }
}
