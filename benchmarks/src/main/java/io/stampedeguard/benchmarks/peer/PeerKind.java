package io.stampedeguard.benchmarks.peer;

import java.io.File;
import java.security.CodeSource;

/** A kind of cache in the comparison: where it stores its values, and its set-up in words, with the version of its library. */
public record PeerKind(String name, Storage storage, Opening opening, String setUp) {
    public enum Storage {
        /** In Redis, by a bare client, which is not a cache: the lower bound of the cost of a Redis read. */
        BARE,
        /** In Redis, for all processes. */
        REDIS,
        /** In Redis, with copies in each process. */
        REDIS_AND_PROCESS,
        /** In each process, for itself. */
        PROCESS
    }

    /** The way to open the peer of a process. */
    @FunctionalInterface
    public interface Opening {
        /** Opens a peer; throws {@link UnsupportedOperationException} with the reason if it does not support an option. */
        Peer open(String redisUri, PeerOptions options);
    }

    /** Opens the peer of this process with the workload's options; the caller must close it. */
    public Peer open(String redisUri, PeerOptions options) {
        return opening.open(redisUri, options);
    }

    /** Returns the name of the jar of a class, which ends in the version; that of the directory if the class is in none. */
    public static String jarOf(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source == null) {
            return type.getPackageName();
        }
        return new File(source.getLocation().getPath()).getName().replace(".jar", "");
    }

    public boolean isCache() {
        return storage != Storage.BARE;
    }

    /** Returns whether the processes share cached values. */
    public boolean shared() {
        return storage != Storage.PROCESS;
    }

    /** Returns whether all hits reach Redis. */
    public boolean readsRedis() {
        return storage == Storage.BARE || storage == Storage.REDIS;
    }

    @Override
    public String toString() {
        return name;
    }
}
