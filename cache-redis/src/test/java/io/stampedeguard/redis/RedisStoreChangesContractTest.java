package io.stampedeguard.redis;

import static io.stampedeguard.redis.RedisChangesContract.options;

import org.junit.jupiter.api.Nested;
import redis.clients.jedis.RedisProtocol;

class RedisStoreChangesContractTest {
    private static RedisStore resp3(ChangeFeed feed) {
        return RedisStore.connect(
                SharedRedis.uri(),
                options(feed).toBuilder()
                        .protocol(RedisProtocol.RESP3)
                        .keyPrefix("shop:%")
                        .clientName("contract-test")
                        .build());
    }

    @Nested
    class Announced extends RedisChangesContract {
        @Override
        protected RedisStore open() {
            return RedisStore.connect(SharedRedis.uri(), options(ChangeFeed.ANNOUNCED));
        }
    }

    @Nested
    class Tracked extends RedisChangesContract {
        @Override
        protected RedisStore open() {
            return RedisStore.connect(SharedRedis.uri(), options(ChangeFeed.TRACKED));
        }
    }

    @Nested
    class AnnouncedInResp3UnderAPrefix extends RedisChangesContract {
        @Override
        protected RedisStore open() {
            return resp3(ChangeFeed.ANNOUNCED);
        }
    }

    @Nested
    class TrackedInResp3UnderAPrefix extends RedisChangesContract {
        @Override
        protected RedisStore open() {
            return resp3(ChangeFeed.TRACKED);
        }
    }
}
