package io.stampedeguard.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.RedisStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A script of the library with one part removed, in a directory that precedes the library on a class path. */
public final class BrokenScript {
    private BrokenScript() {}

    /** Writes a script of the store in which matches are replaced; fails if nothing matches. */
    public static void write(Path front, String name, String regex, String replacement) throws IOException {
        write(front, RedisStore.class, name, regex, replacement);
    }

    /** Writes a script beside a class, like the other method. */
    public static void write(Path front, Class<?> beside, String name, String regex, String replacement)
            throws IOException {
        String whole = source(beside, name);
        String broken = whole.replaceFirst(regex, replacement);
        assertThat(broken).as("what is to be taken out of %s", name).isNotEqualTo(whole);
        Path home = front.resolve(beside.getPackageName().replace('.', '/'));
        Files.createDirectories(home);
        Files.writeString(home.resolve(name), broken);
    }

    private static String source(Class<?> beside, String name) throws IOException {
        try (InputStream source = beside.getResourceAsStream(name)) {
            return new String(source.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
