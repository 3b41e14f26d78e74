package io.stampedeguard.redis;

import io.stampedeguard.testbed.FreePort;
import io.stampedeguard.testkit.Fleet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import redis.clients.jedis.Jedis;

/** A reason for which a server refuses writes, although it answers reads. */
enum WriteRefusal {
    OOM("OOM command not allowed") {
        @Override
        void begin(Jedis admin) {
            admin.configSet("maxmemory", "1");
        }

        @Override
        void end(Jedis admin) {
            admin.configSet("maxmemory", "0");
        }
    },
    READONLY("READONLY") {
        @Override
        void begin(Jedis admin) {
            admin.replicaof("127.0.0.1", FreePort.find());
        }

        @Override
        void end(Jedis admin) {
            admin.replicaofNoOne();
        }
    },
    NOREPLICAS("NOREPLICAS") {
        @Override
        void begin(Jedis admin) {
            admin.configSet("min-replicas-to-write", "1");
        }

        @Override
        void end(Jedis admin) {
            admin.configSet("min-replicas-to-write", "0");
        }
    },
    /** A snapshot cannot be written, because there is a directory in its place. */
    MISCONF("MISCONF") {
        @Override
        void begin(Jedis admin) {
            occupy(Path.of(admin.configGet("dir").get("dir"), "dump.rdb", "occupied"));
            admin.configSet("save", "10000 1000000");
            admin.bgsave();
            Fleet.until(() -> admin.info("persistence").contains("rdb_last_bgsave_status:err"));
        }

        @Override
        void end(Jedis admin) {
            admin.configSet("save", "");
        }

        private void occupy(Path directory) {
            try {
                Files.createDirectories(directory);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    },
    NOPERM("NOPERM") {
        @Override
        void begin(Jedis admin) {
            admin.aclSetUser("default", "-eval", "-evalsha", "-@write");
        }

        @Override
        void end(Jedis admin) {
            admin.aclSetUser("default", "+@all");
        }
    };

    private final String reason;

    WriteRefusal(String reason) {
        this.reason = reason;
    }

    /** Returns the words of the server. */
    String reason() {
        return reason;
    }

    abstract void begin(Jedis admin);

    abstract void end(Jedis admin);
}
