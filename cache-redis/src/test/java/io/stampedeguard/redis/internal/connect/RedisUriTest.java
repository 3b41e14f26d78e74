package io.stampedeguard.redis.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.RedisStore;
import io.stampedeguard.redis.RedisStoreOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisUriTest {
    @ParameterizedTest
    @CsvSource({
        "redis://localhost, false, localhost, 6379, , , 0",
        "redis://localhost/, false, localhost, 6379, , , 0",
        "REDISS://redis.example.com:6380/3, true, redis.example.com, 6380, , , 3",
        "redis://my_redis:7000, false, my_redis, 7000, , , 0",
        "redis://[::1]:7000, false, ::1, 7000, , , 0",
        "redis://:geheim@127.0.0.1:7000, false, 127.0.0.1, 7000, , geheim, 0",
        "redis://shop:g%40h%3A%2F%25+@h:1/15, false, h, 1, shop, g@h:/%+, 15",
    })
    void partsAreUnderstood(
            String text, boolean tls, String host, int port, String user, String password, int database) {
        RedisUri uri = RedisUri.parse(text);

        assertThat(uri.tls()).isEqualTo(tls);
        assertThat(uri.address().getHost()).isEqualTo(host);
        assertThat(uri.address().getPort()).isEqualTo(port);
        assertThat(uri.user()).isEqualTo(user);
        assertThat(uri.password()).isEqualTo(password);
        assertThat(uri.database()).isEqualTo(database);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "geheim",
                "geheim:6379",
                "http://user:geheim@host",
                "redis:geheim",
                "redis://",
                "redis://user:geheim@",
                "redis://geheim@host",
                "redis://user:geheim@host:port",
                "redis://user:geheim@host:0",
                "redis://user:geheim@host:65536",
                "redis://user:geheim@host/database",
                "redis://user:geheim@host/1/2",
                "redis://user:geheim@host?timeout=1",
                "redis://user:geheim@host#1",
                "redis://user:ge/heim@host",
                "redis://user:ge heim@host",
                "redis://user:ge%heim@host",
                "redis://user:ge@heim@host",
                "redis://user:geheim@[::1",
                "redis://user:geheim@ho st",
            })
    void whatIsMalformedIsRefusedWithoutRepeatingIt(String text) {
        assertThatThrownBy(() -> RedisStore.connect(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasNoCause()
                .hasMessageStartingWith("not a Redis URI: ")
                .hasMessageEndingWith("; expected redis://[user:password@]host[:port][/database]")
                .message()
                .doesNotContain("geheim", "heim@");
    }

    @Test
    void aUserWithoutAPasswordIsNotTakenForTheDefaultUser() {
        assertThatThrownBy(() -> RedisUri.parse("redis://shop:@host"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a user without a password")
                .hasMessageNotContaining("shop");
    }

    @Test
    void theMessageNamesThePartThatIsWrong() {
        assertThatThrownBy(() -> RedisUri.parse("http://host")).hasMessageContaining("scheme");
        assertThatThrownBy(() -> RedisUri.parse("redis://host:0")).hasMessageContaining("port");
        assertThatThrownBy(() -> RedisUri.parse("redis://a:b@")).hasMessageContaining("host");
        assertThatThrownBy(() -> RedisUri.parse("redis://host/x")).hasMessageContaining("database");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://ho st",
                "redis://h\n:6379",
                "redis://[::1",
                "redis://a:b@[::1",
                "redis://a:b@ho st",
                "redis://ho%st",
                "redis://h/ 1"
            })
    void aHostThatIsMalformedIsNotTakenForAPassword(String text) {
        assertThatThrownBy(() -> RedisUri.parse(text))
                .hasMessageContaining("the host")
                .hasMessageNotContaining("percent-encoded");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis://a:b c@host", "redis://a b:c@host", "redis://a:b%c@host", "redis://a:[b@host"})
    void anUnencodedPasswordIsNamed(String text) {
        assertThatThrownBy(() -> RedisUri.parse(text)).hasMessageContaining("user or password must be percent-encoded");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis://", "rediss://", "redis:", "redis:///1", "REDIS://"})
    void aUriWithoutAHostIsRefusedForThatReason(String text) {
        assertThatThrownBy(() -> RedisStore.connect(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "not a Redis URI: it names no host; expected redis://[user:password@]host[:port][/database]");
    }

    @Test
    void noUriAtAllIsNamed() {
        assertThatThrownBy(() -> RedisStore.connect(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("uri");
    }

    @Test
    void addressInMessagesIsEscapedAndThatOfIpv6IsInBrackets() {
        assertThat(RedisUri.parse("redis://[::1]:7000/1")).hasToString("redis://[::1]:7000/1");
        assertThat(RedisUri.parse("redis://shop\u202e.invalid/1")).hasToString("redis://shop\\u{202e}.invalid:6379/1");
        assertThatThrownBy(() -> RedisStore.connect(
                        "redis://shop\u202e.invalid:7000",
                        RedisStoreOptions.builder().failFast(true).build()))
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith("could not connect to Redis at shop\\u{202e}.invalid:7000: ")
                .hasMessageNotContaining("\u202e");
    }

    @Test
    void itsTextHasNoCredentials() {
        assertThat(RedisUri.parse("rediss://user:geheim@host/2")).hasToString("rediss://host:6379/2");
    }
}
