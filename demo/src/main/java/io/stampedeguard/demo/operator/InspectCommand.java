package io.stampedeguard.demo.operator;

import io.stampedeguard.demo.Version;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./stampede inspect}: tells what Redis has of a key. */
@Command(
        name = "./stampede inspect",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = "Tells what Redis has of a key of a cache, and changes nothing.",
        description = {
            "",
            "The entry: how old, how long fresh and served, who published it, and how its payload begins. The lease: who"
                    + " loads, or why nobody may. Near caches, key filters and waiters live in the processes; of"
                    + " these StampedeGuardedCache.explain(key) tells.",
            "",
            "Exit code: 0, or 1 if there is neither an entry nor a lease or Redis does not answer, 2 for a wrong option.",
            ""
        })
final class InspectCommand implements Callable<Integer> {
    @Mixin
    private KeyArgument key = new KeyArgument();

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Override
    public Integer call() {
        String storeKey = key.storeKey();
        try (Server server = options.connect()) {
            KeyView view = KeyView.of(storeKey, server);
            System.out.println(options.json() ? view.json() : view.text());
            return view.isThere() ? Exit.DONE : Exit.NOT_THERE;
        }
    }
}
