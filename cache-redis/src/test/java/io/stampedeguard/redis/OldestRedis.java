package io.stampedeguard.redis;

import io.stampedeguard.testbed.ExecutableFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The binary of Redis 6.2 in a jar that the build of cache-redis provides. It needs OpenSSL 3 on the machine. */
public final class OldestRedis {
    private static final Path JAR = Path.of("..", "cache-redis", "target", "redis-6.2", "embedded-redis.jar");

    private OldestRedis() {}

    /** Extracts it; returns empty if there is none that runs on this machine. */
    public static Optional<Path> extractTo(Path directory) throws Exception {
        try (ZipFile jar = new ZipFile(JAR.toFile())) {
            Optional<? extends ZipEntry> entry = jar.stream()
                    .filter(candidate -> candidate.getName().startsWith("redis-server-6.2"))
                    .filter(candidate -> candidate.getName().endsWith(platform()))
                    .findFirst();
            if (entry.isEmpty()) {
                return Optional.empty();
            }
            Path binary = directory.resolve("redis-server");
            try (InputStream bytes = jar.getInputStream(entry.get())) {
                ExecutableFile.write(bytes, binary);
            }
            return runs(binary) ? Optional.of(binary) : Optional.empty();
        }
    }

    private static String platform() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return (os.startsWith("mac") ? "darwin" : os) + "-"
                + switch (arch) {
                    case "x86_64" -> "amd64";
                    case "aarch64" -> "arm64";
                    default -> arch;
                };
    }

    private static boolean runs(Path binary) throws InterruptedException {
        try {
            Process version = new ProcessBuilder(binary.toString(), "--version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return version.waitFor() == 0;
        } catch (IOException notForThisMachine) {
            return false;
        }
    }
}
