package io.stampedeguard.cli;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.ChangeMemory;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testbed.program.JsonObject;
import picocli.CommandLine.Command;

/** The command {@code ./stampede invalidate}: removes a key, like {@code StampedeGuardedCache.invalidate}. */
@Command(
        name = "./stampede invalidate",
        header = "Removes a key, like StampedeGuardedCache.invalidate(key).",
        description = {
            "",
            "The entry is removed, and so is a cool-down. The result of a running load is not stored. Waiting processes are"
                    + " notified. Near caches that are notified of changes drop their copies. The next get loads.",
            "",
            "Exit code: 0, also if there was nothing to remove; 1 if Redis does not answer or refuses; 2 for a wrong"
                    + " option.",
            ""
        })
final class InvalidateCommand extends KeyCommand {
    @Override
    int run(String storeKey, Server server) {
        KeyView before = KeyView.of(storeKey, server);
        SharedStore store = server.store().shared();
        ChangeMemory memory = store.ability(ChangeMemory.class);
        if (memory != null) { // of any cache, whose changeMemory is not known here
            memory.remember(storeKey.substring(0, storeKey.indexOf(':')), ChangeMemory.LONGEST);
        }
        store.change(storeKey, new Change.Invalidate(), store.patience());
        tell(text(before), json(before));
        return DONE;
    }

    private static String text(KeyView before) {
        return "invalidated " + KeyEncoder.shown(before.storeKey()) + "; before, its entry was "
                + KeyView.word(before.entry().state()) + " and its lease "
                + KeyView.word(before.lease().state()).replace('_', ' ');
    }

    private static JsonObject json(KeyView before) {
        return new JsonObject().text("invalidated", before.storeKey()).object("before", before.json());
    }
}
