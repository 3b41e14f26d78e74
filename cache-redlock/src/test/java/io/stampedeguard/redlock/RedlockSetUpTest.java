package io.stampedeguard.redlock;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.testbed.PlainRedis;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

class RedlockSetUpTest {
    @AutoClose
    private final LockServerProcesses servers = new LockServerProcesses(3);

    private final RedisStore values = servers.plain("");
    private final List<RedisStore> locks = servers.lockStores(LockServerProcesses.TIMEOUT);

    @Test
    void fewerThanThreeServersAreRefused() {
        assertThatThrownBy(() -> RedlockStore.over(values, locks.subList(0, 2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Redlock needs at least 3 lock servers, not 2");
    }

    @Test
    void serverThatIsNamedTwiceIsRefused() {
        RedisStore again = servers.lockStores(LockServerProcesses.TIMEOUT).get(0);

        assertThatThrownBy(() -> RedlockStore.over(values, List.of(locks.get(0), locks.get(1), again)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the lock server at 127.0.0.1:%d is passed twice"
                        .formatted(servers.server(0).port()));
    }

    @Test
    void storeOfTheValuesIsNoLockServer() {
        assertThatThrownBy(() ->
                        RedlockStore.over(values, List.of(locks.get(0), locks.get(1), servers.plain("another-prefix"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the lock server at 127.0.0.1:%d is the store of the values"
                        .formatted(servers.values().port()));
    }

    @Test
    void storeOnAClientOfTheCallersIsKnownByItself() {
        try (RedisClient client = PlainRedis.connectPatiently(servers.server(2).uri(), 4)) {
            RedisStore using = RedisStore.using(client);

            assertThatThrownBy(() -> RedlockStore.over(values, List.of(locks.get(0), using, using)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the lock server is passed twice");
        }
    }
}
