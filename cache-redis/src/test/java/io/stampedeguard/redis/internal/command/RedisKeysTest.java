package io.stampedeguard.redis.internal.command;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.util.JedisClusterCRC16;

@Isolated("changes the default locale of the JVM")
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
    void membersOfACacheAreUnderItsNameAndNoEntry() {
        byte[] members = keys.members("products");

        assertThat(new String(members, UTF_8)).isEqualTo("{products:}:members");
        assertThat(keys.key(members)).isNull();
    }

    @Test
    void partitionOfAFilterHasTheSameNameInEachCountry() {
        Locale here = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            assertThat(new String(keys.filter("products", 7, "state"), UTF_8)).isEqualTo("{products:filter:07}:state");
        } finally {
            Locale.setDefault(here);
        }
    }

    @Test
    void bothKeysAreInOneSlot() {
        for (String text : new String[] {"a:1", "a:{", "a:}", "a:{}", "a:}{", "a:%"}) {
            assertThat(JedisClusterCRC16.getSlot(keys.value(text)))
                    .isEqualTo(JedisClusterCRC16.getSlot(keys.lease(text)));
        }
    }

    @Test
    void differentTextsAreDifferentKeysEvenIfUtf8CannotEncodeThem() {
        Map<String, String> seen = new HashMap<>();
        String[] texts = {"?", "\ud83d", "\ude00", "\ud83d\ude00", "\ude00\ud83d", "%uD83D", "%", "%25", "{", "%7B"};
        for (String text : texts) {
            assertThat(seen.put(new String(keys.value(text), UTF_8), text))
                    .as(text)
                    .isNull();
        }
    }

    @Test
    void aChannelOfChangesBeginsLikeTheKeysOfItsCache() {
        assertThat(new String(keys.changes("products"), UTF_8)).isEqualTo("{products:}:changes");
        assertThat(new String(new RedisKeys("shop:").changes("a"), UTF_8)).isEqualTo("shop:{a:}:changes");
    }

    @Test
    void theCacheIsWhatStandsBeforeTheFirstColon() {
        assertThat(RedisKeys.cacheOf("products:4:2")).isEqualTo("products");
        assertThat(RedisKeys.cacheOf("none")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "shop:", "%", "é%7B"})
    void anyKeyIsRecoveredFromTheRedisKeyOfItsValue(String prefix) {
        long seed = ThreadLocalRandom.current().nextLong();
        Random random = new Random(seed);
        RedisKeys prefixed = new RedisKeys(prefix);
        for (int i = 0; i < 20_000; i++) {
            String key = oddText(random);
            assertThat(prefixed.key(prefixed.value(key))).as("seed %d", seed).isEqualTo(key);
            assertThat(prefixed.key(prefixed.lease(key))).as("seed %d", seed).isNull();
        }
    }

    @Test
    void whatIsNotTheRedisKeyOfAValueHasNoKey() {
        long seed = ThreadLocalRandom.current().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = ("{" + oddText(random) + "}").getBytes(random.nextBoolean() ? UTF_8 : ISO_8859_1);
            String key = keys.key(bytes);
            assertThat(key == null || Arrays.equals(keys.value(key), bytes))
                    .as("seed %d", seed)
                    .isTrue();
        }
        for (String other :
                new String[] {"", "{", "}", "{a:1", "a:1}", "{a:1}:lease", "x{a:1}", "{a:%41}", "{a:%7b}"}) {
            assertThat(keys.key(other.getBytes(UTF_8))).as(other).isNull();
        }
    }

    /** Of pieces that are encoded, appear to be encoded, or almost do. */
    private static String oddText(Random random) {
        String[] pieces = {"a", ":", "%", "{", "}", "u", "7B", "D83D", "\ud83d", "\ude00", "é", "中", "\n", "\u0000"};
        StringBuilder text = new StringBuilder();
        for (int left = random.nextInt(8); left > 0; left--) {
            text.append(pieces[random.nextInt(pieces.length)]);
        }
        return text.toString();
    }
}
