package io.stampedeguard.redis.near;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.FleetMember;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

/** The commands by which {@code docs/operations.md} removes a key by hand. */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // for a fleet that hangs
final class ByHandTest {
    private static final Path PAGE = Path.of("..", "docs", "operations.md");
    private static final Pattern COMMAND = Pattern.compile("(?m)^redis-cli (.*)$");

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @AutoClose
    private final RedisProcess redis = RedisServer.startProcess();

    @Test
    void delLeavesTheCopiesOfNearCachesAndTheMessageRemovesThem() throws Exception {
        List<String> commands = commands();
        assertThat(commands)
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("DEL "),
                        second -> assertThat(second).startsWith("PUBLISH "));
        try (NearFleet fleet = new NearFleet(2, redis, NearFleet.lasting(Duration.ofHours(1)), index -> redis.uri());
                Jedis admin = fleet.admin()) {
            while (!answersAfterwards(fleet, admin, commands)) {
                send(admin, commands.get(0));
                send(admin, commands.get(1));
            }
        }
    }

    /**
     * Sends the commands; returns whether both near caches have answered after the first, and so also after the second. On a machine
     * that stalls, a near cache may not trust its connection for a moment, and read Redis: this proves nothing.
     */
    private static boolean answersAfterwards(NearFleet fleet, Jedis admin, List<String> commands)
            throws InterruptedException {
        fleet.warmUp(1);
        fleet.awaitHits(fleet.members());
        long changed = fleet.rows().write("0");
        send(admin, commands.get(0));
        for (FleetMember member : fleet.members()) {
            fleet.counts(member);
            long version = version(fleet, member);
            if (NearFleet.count(fleet.counts(member), "NEAR") == 0) {
                return false;
            }
            assertThat(version).isLessThan(changed);
        }
        send(admin, commands.get(1));
        for (FleetMember member : fleet.members()) {
            long giveUp = System.nanoTime() + PATIENCE.toNanos();
            while (version(fleet, member) != changed) {
                assertThat(System.nanoTime()).isLessThan(giveUp);
            }
        }
        return true;
    }

    private static long version(NearFleet fleet, FleetMember member) throws InterruptedException {
        return requireNonNull(fleet.versions(member, 1).get("0"));
    }

    private static List<String> commands() throws IOException {
        return COMMAND.matcher(Files.readString(PAGE))
                .results()
                .map(command -> command.group(1))
                .toList();
    }

    /** Sends a command of the page, for a key of this fleet. */
    private static void send(Jedis admin, String command) {
        String[] words = command.replace("'", "")
                .replace("products:42", "near:0")
                .replace("products:", "near:")
                .split(" ");
        admin.sendCommand(Protocol.Command.valueOf(words[0]), Arrays.copyOfRange(words, 1, words.length));
    }
}
