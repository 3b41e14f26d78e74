package io.stampedeguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testkit.Fleet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/**
 * The rights that {@code docs/operations.md} lists suffice for the commands that only read, and everything they use is
 * listed.
 */
class OperatorRightsTest {
    private static final Path PAGE = Path.of("..", "docs", "operations.md");
    private static final String LOOK = "+mget +pttl +time +info";
    private static final String HOT = "+scan +pubsub";
    private static final String DOCTOR = "+eval";
    private static final String CLUSTER = "+cluster|slots +getrange +role";
    private static final String[] QUESTIONS = {
        "inspect products:1", "lease products:1", "hot", "list products", "doctor --cache products"
    };

    @Test
    void pageNamesThem() throws Exception {
        assertThat(Files.readString(PAGE))
                .contains("`" + LOOK + "`", "`" + HOT + "`", "`" + DOCTOR + "`", "`" + CLUSTER + "`");
    }

    @Test
    void theyAreEnoughOnOneServer() throws Exception {
        try (RedisProcess server = RedisServer.startProcess(user(LOOK + " " + HOT + " " + DOCTOR))) {
            assertThatAllIsAnswered(server);
        }
    }

    @Test
    void theyAreEnoughOnACluster() throws Exception {
        String[] arguments = user(LOOK + " " + HOT + " " + DOCTOR + " " + CLUSTER);
        String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "--cluster-enabled";
        all[arguments.length + 1] = "yes";
        try (RedisProcess server = RedisServer.startProcess(all)) {
            try (Jedis admin = PlainRedis.admin(server.host(), server.port())) {
                admin.auth("geheim0");
                admin.clusterAddSlotsRange(0, 16_383);
                Fleet.until(() -> admin.clusterInfo().contains("cluster_state:ok"));
            }
            assertThatAllIsAnswered(server);
        }
    }

    private static String[] user(String rights) {
        return ("--requirepass geheim0 --user looking on >geheim1 ~{products:* &{products:* " + rights).split(" ");
    }

    private static void assertThatAllIsAnswered(RedisProcess server) {
        String uri = "redis://looking:geheim1@%s:%d".formatted(server.host(), server.port());
        for (String question : QUESTIONS) {
            assertThat(Commands.on(uri, question.split(" "))).as(question).satisfies(ended -> {
                assertThat(ended.lines()).isNotEmpty();
                assertThat(ended.code())
                        .isEqualTo(
                                List.of("hot", "list products").contains(question)
                                        ? KeyCommand.DONE
                                        : KeyCommand.NOT_THERE);
                assertThat(ended.lines()).noneMatch(line -> line.startsWith("  unknown"));
                assertThat(ended.errors()).isEmpty();
            });
        }
        assertThatNothingWasRefused(server);
    }

    /** A refusal without a message, such as that of {@code TIME}, is in the server's own log. */
    private static void assertThatNothingWasRefused(RedisProcess server) {
        try (Jedis admin = PlainRedis.admin(server.host(), server.port())) {
            admin.auth("geheim0");
            assertThat(admin.aclLog()).extracting(entry -> entry.getObject()).isEmpty();
        }
    }
}
