package io.stampedeguard.cli;

import static io.stampedeguard.testbed.program.WrongOptionException.require;

import io.stampedeguard.codec.KeyEncoder;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The key of a command. Filled by picocli, then only read. */
final class KeyArgument {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    @Parameters(paramLabel = "KEY", description = "The key, as CACHE:KEY, such as products:42.")
    private String key = "";

    @Option(
            names = "--cache",
            paramLabel = "NAME",
            description = "The name of the cache; KEY is then the key without it.")
    private @Nullable String cache;

    /** Returns the name of the cache, a colon, and the key as text. */
    String storeKey() {
        String storeKey = cache == null ? key : cache + ":" + key;
        int colon = cache == null ? key.indexOf(':') : cache.length();
        require(
                colon >= 0 && isCacheName(storeKey.substring(0, colon)),
                () -> cache == null
                        ? "KEY " + KeyEncoder.shown(key) + " is not CACHE:KEY; or set the cache with --cache"
                        : noCacheName("--cache", cache));
        return storeKey;
    }

    static boolean isCacheName(String text) {
        return NAME.matcher(text).matches();
    }

    static String noCacheName(String option, String text) {
        return option + " " + KeyEncoder.shown(text) + " is not a valid cache name";
    }
}
