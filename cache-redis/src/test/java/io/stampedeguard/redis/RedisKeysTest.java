package io.stampedeguard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.util.JedisClusterCRC16;

class RedisKeysTest {
    private final RedisKeys keys = new RedisKeys("");

    @ParameterizedTest
    @CsvSource({
        "products:42, {products:42}",
        "products:中文, {products:中文}",
        "products:😀, {products:😀}",
        "products:{a}%7B, {products:%7Ba%7D%257B}",
    })
    void theTextStandsInBraces(String key, String redisKey) {
        assertThat(new String(keys.value(key), UTF_8)).isEqualTo(redisKey);
        assertThat(new String(keys.lease(key), UTF_8)).isEqualTo(redisKey + ":lease");
    }

    @Test
    void aPrefixStandsBeforeTheBrace() {
        assertThat(new String(new RedisKeys("shop:").lease("a:1"), UTF_8)).isEqualTo("shop:{a:1}:lease");
    }

    @Test
    void bothKeysAreInOneSlot() {
        for (String text : new String[] {"a:1", "a:{", "a:}", "a:{}", "a:}{", "a:%"}) {
            assertThat(JedisClusterCRC16.getSlot(keys.value(text)))
                    .isEqualTo(JedisClusterCRC16.getSlot(keys.lease(text)));
        }
    }

    @Test
    void differentTextsAreDifferentKeysEvenWhereUtf8HasNoWordForThem() {
        Map<String, String> seen = new HashMap<>();
        String[] texts = {"?", "\ud83d", "\ude00", "\ud83d\ude00", "\ude00\ud83d", "%uD83D", "%", "%25", "{", "%7B"};
        for (String text : texts) {
            assertThat(seen.put(new String(keys.value(text), UTF_8), text))
                    .as(text)
                    .isNull();
        }
    }
}
