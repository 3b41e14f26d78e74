package io.stampedeguard.testbed;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;

/** The static {@code redis-server} inside {@code org.signal:embedded-redis}, extracted once per JVM. */
final class EmbeddedBinary {
    private static final String VERSION = "7.0.15";

    private EmbeddedBinary() {}

    static ServerBinary extracted() {
        return Extracted.BINARY;
    }

    static String resourceFor(String osName, String osArch) {
        String os = osName.toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : osName.toLowerCase(Locale.ROOT);
        String arch = switch (osArch.toLowerCase(Locale.ROOT)) {
            case "x86_64", "amd64" -> "amd64";
            case "aarch64", "arm64" -> "arm64";
            case "i386", "i686", "x86" -> "386";
            default -> osArch;
        };
        return "/redis-server-" + VERSION + "-" + os + "-" + arch;
    }

    private static ServerBinary extract() {
        String resource = resourceFor(System.getProperty("os.name"), System.getProperty("os.arch"));
        try (InputStream bytes = redis.embedded.RedisServer.class.getResourceAsStream(resource)) {
            if (bytes == null) {
                throw new IllegalStateException("no embedded Redis for this machine (" + resource.substring(1)
                        + "): put redis-server on the PATH, or give -Dstampede.redis=redis://host:port");
            }
            TemporaryDirectory directory = TemporaryDirectory.create("stampede-redis-server-");
            Path file = directory.path().resolve("redis-server");
            ExecutableFile.write(bytes, file);
            return new ServerBinary(file, "embedded redis-server " + VERSION);
        } catch (IOException e) {
            throw new UncheckedIOException("could not extract the embedded Redis", e);
        }
    }

    /** Holds the binary; class initialization extracts it once, on first use. */
    private static final class Extracted {
        static final ServerBinary BINARY = extract();
    }
}
