package io.stampedeguard.cli;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testbed.program.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code ./stampede evict}: removes all keys of a cache, like {@code StampedeGuardedCache.invalidateAll}. */
@Command(
        name = "./stampede evict",
        header = "Removes all keys of a cache, like its invalidateAll().",
        description = {
            "",
            "One command, however many keys there are: processes take what was stored before for missing, and Redis"
                    + " removes it when its TTL ends. Results of running loads are not stored. Near caches that are"
                    + " notified of changes drop their copies.",
            "",
            "Exit code: 0, also if there was nothing to remove; 1 if Redis does not answer or refuses; 2 for a wrong"
                    + " option.",
            ""
        })
final class EvictCommand extends ServerCommand {
    @Parameters(paramLabel = "CACHE", description = "The name of the cache.")
    private String cache = "";

    @Option(names = "--expire", description = "Only mark the values as stale, like expireAll().")
    private boolean expires;

    @Override
    void requireRightOptions() {
        requireCacheName("CACHE", cache);
    }

    @Override
    int run(Server server) {
        Change each =
                expires ? new Change.Expire(0, new byte[0]) : new Change.Invalidate(); // Redis leaves entries alone
        SharedStore store = server.store().shared();
        store.change(cache, new Change.OfAll(each), store.patience());
        String done = expires ? "expired" : "invalidated";
        tell(done + " all keys of " + KeyEncoder.shown(cache), new JsonObject().text(done, cache));
        return DONE;
    }
}
