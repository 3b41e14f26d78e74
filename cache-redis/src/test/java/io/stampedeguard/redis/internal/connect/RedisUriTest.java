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
import redis.clients.jedis.HostAndPort;

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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "redis-sentinel://a/m | SENTINEL, master 'm' of the Sentinels a:26379, database 0",
                "redis-sentinel://user:geheim@a,b:2/m/3 | SENTINEL, master 'm' of the Sentinels a:26379,b:2, database 3",
                "rediss-sentinel://:geheim@[::1]:7,[::2]/m%20m |"
                        + " SENTINEL with TLS, master 'm m' of the Sentinels [::1]:7,[::2]:26379, database 0",
                "redis-cluster://a,b:2,a | CLUSTER, cluster a:6379,b:2, database 0",
                "REDISS-Cluster://user:g%40h@a:1/ | CLUSTER with TLS, cluster a:1, database 0",
            })
    void severalAddressesAreUnderstood(String text, String expected) {
        RedisUri uri = RedisUri.parse(text);
        assertThat(uri.kind() + (uri.tls() ? " with TLS, " : ", ") + uri.shownAddress() + ", database "
                        + uri.database())
                .isEqualTo(expected);
    }

    @Test
    void partsOfSeveralAddressesAreUnderstood() {
        RedisUri uri = RedisUri.parse("rediss-sentinel://shop:g%40h%2C%2F@a,b/m%2F1/2");

        assertThat(uri.kind()).isEqualTo(RedisUri.Kind.SENTINEL);
        assertThat(uri.tls()).isTrue();
        assertThat(uri.user()).isEqualTo("shop");
        assertThat(uri.password()).isEqualTo("g@h,/");
        assertThat(uri.addresses()).containsExactly(new HostAndPort("a", 26_379), new HostAndPort("b", 26_379));
        assertThat(uri.master()).isEqualTo("m/1");
        assertThat(uri.database()).isEqualTo(2);
        assertThat(uri.shownAddress()).isEqualTo("master 'm/1' of the Sentinels a:26379,b:26379");
        assertThat(RedisUri.parse("redis-cluster://a,b").shownAddress()).isEqualTo("cluster a:6379,b:6379");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "redis-sentinel://user:geheim@a,b | it names no master after the addresses",
                "redis-sentinel://user:geheim@a,b/ | it names no master after the addresses",
                "redis-sentinel://user:geheim@a,b/m%zz | it names no master after the addresses",
                "redis-sentinel://user:1/geheim@a,b/m | it names no master after the addresses",
                "redis-sentinel://user:geheim@a,,b/m | a host is missing before or after a comma",
                "redis-sentinel://user:geheim@/m | a host is missing before or after a comma",
                "redis-sentinel://user:geheim@a,b/m/x | the database '/x' after the host is not a number",
                "redis-sentinel://user:geheim@a,b:0/m | the port 0 is not between 1 and 65535",
                "redis-sentinel://user:geheim@a,b/m?x=1 | it has a query or a fragment",
                "redis-sentinel://user:geheim@a,b#m | it names no master after the addresses",
                "redis-sentinel:geheim | it names no host",
                "redis-cluster://user:geheim@a,b/1 | a cluster has no databases",
                "redis-cluster://user:ge,heim@a,x y | the host, or what follows it, has a character that is not permitted",
                "redis-cluster://user:ge heim@a | special characters in user or password must be percent-encoded",
                "redis-cluster://geheim@a | user info, host or port are malformed",
                "redis-cluster://user:geheim@a:99999 | the port 99999 is not between 1 and 65535",
                "redis-clusters://user:geheim@a | the scheme 'redis-clusters' is neither redis, redis-sentinel, nor",
            })
    void whatIsWrongWithSeveralAddressesIsNamedWithItsValue(String text, String why) {
        assertThatThrownBy(() -> RedisStore.connect(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasNoCause()
                .hasMessageStartingWith("not a Redis URI: " + why)
                .message()
                .doesNotContain("geheim", "heim@")
                .contains(
                        text.startsWith("redis-sentinel")
                                ? "; expected redis-sentinel://[user:password@]host[:port][,host[:port]...]/master[/database]"
                                : "; expected redis");
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
        assertThat(RedisUri.parse("redis://[::1]:7000/1").shownAddress()).isEqualTo("[::1]:7000");
        assertThat(RedisUri.parse("redis://shop\u202e.invalid/1").shownAddress())
                .isEqualTo("shop\\u{202e}.invalid:6379");
        assertThatThrownBy(() -> RedisStore.connect(
                        "redis://shop\u202e.invalid:7000",
                        RedisStoreOptions.builder().failFast(true).build()))
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith("could not connect to Redis at shop\\u{202e}.invalid:7000: ")
                .hasMessageNotContaining("\u202e");
    }

    @Test
    void itsTextHasNoCredentials() {
        assertThat(RedisUri.parse("rediss://user:geheim@host/2").shownAddress()).isEqualTo("host:6379");
        assertThat(RedisUri.parse("rediss://user:geheim@host/2").toString()).doesNotContain("geheim");
    }
}
