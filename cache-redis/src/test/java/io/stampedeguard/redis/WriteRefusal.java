package io.stampedeguard.redis;

import io.stampedeguard.testbed.FreePort;
import io.stampedeguard.testkit.Fleet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import redis.clients.jedis.Jedis;

/** A reason for which a server refuses writes, although it answers reads. */
enum WriteRefusal {
    OOM(admin -> admin.configSet("maxmemory", "1"), admin -> admin.configSet("maxmemory", "0")),
    READONLY(admin -> admin.replicaof("127.0.0.1", FreePort.find()), Jedis::replicaofNoOne),
    NOREPLICAS(
            admin -> admin.configSet("min-replicas-to-write", "1"),
            admin -> admin.configSet("min-replicas-to-write", "0")),
    /** A snapshot cannot be written, because there is a directory in its place. */
    MISCONF(
            admin -> {
                occupy(Path.of(admin.configGet("dir").get("dir"), "dump.rdb", "occupied"));
                admin.configSet("save", "10000 1000000");
                admin.bgsave();
                Fleet.until(() -> admin.info("persistence").contains("rdb_last_bgsave_status:err"));
            },
            admin -> admin.configSet("save", "")),
    NOPERM(
            admin -> admin.aclSetUser("default", "-eval", "-evalsha", "-@write"),
            admin -> admin.aclSetUser("default", "+@all"));

    private final Consumer<Jedis> begin;
    private final Consumer<Jedis> end;

    WriteRefusal(Consumer<Jedis> begin, Consumer<Jedis> end) {
        this.begin = begin;
        this.end = end;
    }

    void begin(Jedis admin) {
        begin.accept(admin);
    }

    void end(Jedis admin) {
        end.accept(admin);
    }

    private static void occupy(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
