package io.stampedeguard.demo.operator;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.demo.Version;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./stampede invalidate}: removes a key, as {@code StampedeGuardedCache.invalidate} does. */
@Command(
        name = "./stampede invalidate",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = "Removes a key of a cache, as StampedeGuardedCache.invalidate(key) does.",
        description = {
            "",
            "The entry is removed; a load that is under way anywhere is not stored; a cool-down ends; those who wait are"
                    + " woken; near caches of all processes that hear of changes drop their copies. The next get loads.",
            "",
            "Exit code: 0, also if there was nothing to remove, 1 if Redis does not answer, 2 for a wrong option.",
            ""
        })
final class InvalidateCommand implements Callable<Integer> {
    @Mixin
    private KeyArgument key = new KeyArgument();

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Override
    public Integer call() {
        String storeKey = key.storeKey();
        try (Server server = options.connect()) {
            KeyView before = KeyView.of(storeKey, server);
            server.store().invalidate(storeKey);
            System.out.println(options.json() ? json(before) : text(before));
            return Exit.DONE;
        }
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
