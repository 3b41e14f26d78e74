package io.stampedeguard.cli;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.testbed.program.JsonObject;
import picocli.CommandLine.Command;

/** {@code ./stampede invalidate}: removes a key, as {@code StampedeGuardedCache.invalidate} does. */
@Command(
        name = "./stampede invalidate",
        header = "Removes a key of a cache, as StampedeGuardedCache.invalidate(key) does.",
        description = {
            "",
            "The entry is removed; a load that is under way anywhere is not stored; a cool-down ends; those who wait are"
                    + " woken; near caches of all processes that hear of changes drop their copies. The next get loads.",
            "",
            "Exit code: 0, also if there was nothing to remove, 1 if Redis does not answer or refuses, 2 for a wrong"
                    + " option.",
            ""
        })
final class InvalidateCommand extends KeyCommand {
    @Override
    int run(String storeKey, Server server) {
        KeyView before = KeyView.of(storeKey, server);
        server.store().invalidate(storeKey);
        tell(text(before), json(before));
        return Exit.DONE;
    }

    private static String text(KeyView before) {
        return "invalidated " + KeyText.shown(before.storeKey()) + "; before, its entry was "
                + KeyView.word(before.entry().state()) + " and its lease "
                + KeyView.word(before.lease().state()).replace('_', ' ');
    }

    private static JsonObject json(KeyView before) {
        return new JsonObject().text("invalidated", before.storeKey()).object("before", before.json());
    }
}
