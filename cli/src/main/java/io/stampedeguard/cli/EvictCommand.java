package io.stampedeguard.cli;

import static io.stampedeguard.testbed.program.WrongOptionException.require;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testbed.program.JsonObject;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The command {@code ./stampede evict}: removes all keys of a cache, or those whose values have a tag, like {@code invalidateAll} and
 * {@code invalidateTag} of {@code StampedeGuardedCache}.
 */
@Command(
        name = "./stampede evict",
        header = "Removes all keys of a cache, or those with a tag.",
        description = {
            "",
            "Like invalidateAll() or invalidateTag(). One command, however many keys there are: processes take what was stored before for missing, and Redis"
                    + " removes it when its TTL ends. Results of running loads are not stored. Near caches that are"
                    + " notified of changes drop their copies.",
            "",
            "If no key of the cache is found in Redis afterwards, by SCAN, the output says so: the name of the cache or"
                    + " --prefix may be wrong.",
            "",
            "Exit code: 0, also if there was nothing to remove; 1 if Redis does not answer or refuses; 2 for a wrong"
                    + " option.",
            ""
        })
final class EvictCommand extends ServerCommand {
    private static final long MOST_SCANNED = 1_000_000;

    @Parameters(paramLabel = "CACHE", description = "The name of the cache.")
    private String cache = "";

    @Option(names = "--expire", description = "Only mark the values as stale, like expireAll() or expireTag().")
    private boolean expires;

    @Option(names = "--tag", paramLabel = "T", description = "Only keys whose values have this tag.")
    private @Nullable String tag;

    @Override
    void requireRightOptions() {
        requireCacheName("CACHE", cache);
        if (tag != null) {
            String refusal = refusal(tag);
            require(refusal == null, () -> "--tag: " + refusal);
        }
    }

    @Override
    int run(Server server) {
        Change each =
                expires ? new Change.Expire(0, new byte[0]) : new Change.Invalidate(); // Redis leaves entries alone
        SharedStore store = server.store().shared();
        store.change(cache, new Change.OfAll(each, tag == null ? Set.of() : Set.of(tag), false), store.patience());
        String done = expires ? "expired" : "invalidated";
        JsonObject json = new JsonObject().text(done, cache).text("tag", tag);
        String which = tag == null ? "" : " with the tag " + KeyEncoder.shown(tag);
        String text = done + " all keys of " + KeyEncoder.shown(cache) + which;
        if (lacksKeys(server)) {
            text += "; Redis had none of the cache: check its name and --prefix " + KeyEncoder.shown(server.prefix());
            json.flag("found", false);
        }
        tell(text, json);
        return DONE;
    }

    /** Returns whether Redis has no key of the cache; false if this is not known. What is evicted is there until its TTL ends. */
    private boolean lacksKeys(Server server) {
        LeaseNames names = new LeaseNames(server.prefix(), cache + ":");
        KeyScan keys = new KeyScan(names.patternOfAll(), MOST_SCANNED, false);
        Set<Boolean> ends = new HashSet<>();
        try {
            boolean allAnswered = server.eachMaster((where, master) ->
                    ends.add(keys.scan(master, some -> some.stream().allMatch(name -> names.keyOf(name) == null))));
            return allAnswered && !ends.contains(false);
        } catch (JedisDataException refused) { // caches need no permission for SCAN
            return false;
        }
    }

    /** Returns why no value can have a tag, {@code null} if one can. */
    private static @Nullable String refusal(String tag) {
        try {
            LoadedValue.absent().tags(tag);
            return null;
        } catch (IllegalArgumentException refused) {
            return refused.getMessage();
        }
    }
}
