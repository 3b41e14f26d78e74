package io.stampedeguard.cli;

import picocli.CommandLine.Command;

/** The command {@code ./stampede inspect}: prints what Redis holds for a key. */
@Command(
        name = "./stampede inspect",
        header = "Prints what Redis holds for a key of a cache. Changes nothing.",
        description = {
            "",
            "The entry: its age, its remaining TTLs, the process that published it, and the beginning of its payload. The"
                    + " lease: its holder, or why no process can load. Near caches, key filters, and waiting callers are"
                    + " inside the processes; StampedeGuardedCache.explain(key) reports them.",
            "",
            "Exit code: 0; 1 if there is no entry, no lease, and no cool-down, or if Redis does not answer or refuses; 2"
                    + " for a wrong option.",
            ""
        })
final class InspectCommand extends KeyCommand {
    @Override
    int run(String storeKey, Server server) {
        KeyView view = KeyView.of(storeKey, server);
        tell(view.text(), view.json());
        return view.isThere() ? DONE : NOT_THERE;
    }
}
