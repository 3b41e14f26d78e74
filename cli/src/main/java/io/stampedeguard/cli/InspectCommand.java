package io.stampedeguard.cli;

import picocli.CommandLine.Command;

/** {@code ./stampede inspect}: tells what Redis has of a key. */
@Command(
        name = "./stampede inspect",
        header = "Tells what Redis has of a key of a cache, and changes nothing.",
        description = {
            "",
            "The entry: how old, how long fresh and served, who published it, and how its payload begins. The lease: who"
                    + " loads, or why nobody may. Near caches, key filters and waiters live in the processes; of"
                    + " these StampedeGuardedCache.explain(key) tells.",
            "",
            "Exit code: 0, or 1 if there is neither an entry nor a lease nor a cool-down, or Redis does not answer or"
                    + " refuses, 2 for a wrong option.",
            ""
        })
final class InspectCommand extends KeyCommand {
    @Override
    int run(String storeKey, Server server) {
        KeyView view = KeyView.of(storeKey, server);
        tell(view.text(), view.json());
        return view.isThere() ? Exit.DONE : Exit.NOT_THERE;
    }
}
