package io.stampedeguard.testbed;

import java.io.File;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The choice of a server: the one that {@code -Dstampede.redis} names, or else, if that is empty, the first that is available:
 * Docker at its endpoint, {@code redis-server} on the search path, or the embedded binary.
 */
record ServerChoice(String wish, String searchPath, DockerProbe docker) {
    private static final String EXPECTED = "expected redis://host:port, docker, path or embedded";

    static ServerChoice ofThisJvm() {
        Map<String, String> environment = System.getenv();
        return new ServerChoice(
                System.getProperty("stampede.redis", "").trim(),
                environment.getOrDefault("PATH", ""),
                DockerProbe.of(environment));
    }

    /** Returns what the user has typed to name the server: a program with an option of its own says so. */
    static String option() {
        return System.getProperty("stampede.redis.option", "-Dstampede.redis");
    }

    RedisServer start() {
        return switch (wish) {
            case "" -> startFirst();
            case "docker" -> startDocker();
            case "path", "embedded" -> startProcess();
            default -> given();
        };
    }

    RedisProcess startProcess(String... extraArguments) {
        return RedisProcess.start(binary(), extraArguments);
    }

    private RedisServer given() {
        if (!wish.startsWith("redis://") && !wish.startsWith("rediss://")) {
            // The value may hold a password, so it is not repeated.
            throw new IllegalArgumentException(option() + " has an unknown value: " + EXPECTED);
        }
        return GivenServer.at(wish);
    }

    private RedisServer startFirst() {
        if (!docker.answers()) {
            return startProcess();
        }
        try {
            return DockerServer.start();
        } catch (RuntimeException noImage) {
            System.err.println("Redis: Docker answers, but could not start Redis: " + noImage.getMessage());
            return startProcess();
        }
    }

    private RedisServer startDocker() {
        if (!docker.answers()) {
            throw new IllegalStateException("-Dstampede.redis=docker, but no Docker answers at " + docker);
        }
        return DockerServer.start();
    }

    private ServerBinary binary() {
        if (wish.equals("embedded")) {
            return EmbeddedBinary.extracted();
        }
        ServerBinary installed = onSearchPath();
        if (installed == null && wish.equals("path")) {
            throw new IllegalStateException("-Dstampede.redis=path, but there is no redis-server on the PATH");
        }
        return installed == null ? EmbeddedBinary.extracted() : installed;
    }

    private @Nullable ServerBinary onSearchPath() {
        for (String directory : searchPath.split(File.pathSeparator, -1)) {
            File file = new File(directory, "redis-server");
            if (!directory.isEmpty() && file.isFile() && file.canExecute()) {
                return new ServerBinary(file.toPath(), "redis-server on the PATH, " + file);
            }
        }
        return null;
    }
}
