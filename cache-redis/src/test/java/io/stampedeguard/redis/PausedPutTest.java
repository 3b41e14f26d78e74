package io.stampedeguard.redis;

import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisProcess;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.fleet.FleetMember;
import io.stampedeguard.testbed.fleet.MemberCommand;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.RedisCommands;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import redis.clients.jedis.Jedis;

/**
 * P2: a process is stopped (SIGSTOP) during its put, another one changes the row and invalidates the key, and the first one goes on.
 * What it has put is served to nobody.
 */
final class PausedPutTest {
    private static final Duration HANGS = Duration.ofMinutes(5);
    private static final int WORDS_OF_PUT = 14;

    private final String name = "paused-" + UUID.randomUUID();
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final RedisProcess redis = RedisServer.startProcess();
    private final CommandProxy proxy = new CommandProxy(redis.host(), redis.port(), this::holdPut);
    private final Jedis admin = PlainRedis.admin(redis.uri());
    private final RedisStore store = RedisStore.connect(redis.uri(), SharedRedis.PATIENT);
    private final StampedeGuardedCache<String, String> other =
            textCache(name, store).build();

    private io.stampedeguard.testbed.fleet.Fleet fleet;
    private FleetMember member;

    /** Where the put is when its process is stopped; the last is between the process and Redis. */
    enum Place {
        ENCODING,
        SENDING,
        ON_ITS_WAY
    }

    @BeforeEach
    void start() throws Exception {
        fleet = io.stampedeguard.testbed.fleet.Fleet.start(1, MemberCommand.of(PutMember.class));
        member = fleet.members().get(0);
        member.send(Message.of("open").with("redis", proxy.uri()).with("cache", name));
        hear("open");
    }

    @AfterEach
    void close() {
        goOn.countDown();
        fleet.close();
        other.close();
        store.close();
        admin.close();
        proxy.close();
        redis.close();
    }

    private Message hear(String verb) throws InterruptedException {
        Message message = member.receive(HANGS);
        while (!message.verb().equals(verb)) {
            message = member.receive(HANGS);
        }
        return message;
    }

    /** Holds the put of the key between the process and Redis; not that of the warm-up. */
    private List<byte[]> holdPut(List<byte[]> command) {
        boolean isPut = command.size() == WORDS_OF_PUT
                && new String(command.get(0), UTF_8).equals("EVALSHA")
                && new String(command.get(3), UTF_8).contains(name + ":k");
        if (isPut) {
            arrived.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        return command;
    }

    @ForEach
    void whatAStoppedProcessPutIsServedToNobody(Place place) throws Exception {
        member.send(Message.of("put").with("value", "old").with("stays", place.name()));
        if (place == Place.ON_ITS_WAY) {
            arrived.await();
        } else {
            hear(place.name());
        }
        member.stop();

        other.invalidate("k");
        OwnRedis.letPass(admin, PutMember.PATIENCE);
        if (place == Place.ON_ITS_WAY) {
            long before = scripts();
            goOn.countDown();
            Fleet.until(() -> scripts() > before);
            assertThat(on(store).read(name + ":k")).isNull();
        } else {
            goOn.countDown();
            member.send(Message.of("go-on"));
        }
        member.cont();
        hear("done");

        assertThat(other.get("k", key -> "new")).isEqualTo("new");
        member.send(Message.of("get").with("row", "new"));
        assertThat(hear("got").text("value")).isEqualTo("new");
    }

    private long scripts() {
        return RedisCommands.parse(admin.info("commandstats")).count("evalsha");
    }
}
