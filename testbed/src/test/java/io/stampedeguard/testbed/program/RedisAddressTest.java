package io.stampedeguard.testbed.program;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {
    @ParameterizedTest
    @CsvSource({
        "redis://h, redis://h:6379",
        "redis://h/, redis://h:6379/",
        "redis://h/3, redis://h:6379/3",
        "redis://127.0.0.1:6380, redis://127.0.0.1:6380",
        "redis://[::1]/0, redis://[::1]:6379/0",
        "rediss://user:pass%40word@h:1/15, rediss://user:pass%40word@h:1/15",
        "redis://:password@h, redis://:password@h:6379"
    })
    void addressOfARedisHasAPort(String text, String address) {
        assertThat(RedisAddress.parse(text)).hasToString(address);
        assertThat(RedisAddress.isRight(text)).isTrue();
    }

    /** The client would misread some of these: database -1 as 0. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "h:6379",
                "http://h",
                "redis://",
                "redis://h:0",
                "redis://h:65536",
                "redis://user@h",
                "redis://h/abc",
                "redis://h/-1",
                "redis://h/1/2",
                "redis://h/99999999999",
                "redis://h/?protocol=9",
                "redis://h#1",
                "redis://h:",
                "redis://a b:c@h",
                "redis://[h]",
                "redis://h /"
            })
    void otherFormsAreNotRight(String text) {
        assertThat(RedisAddress.isRight(text)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    h:6379           | : it begins with neither redis:// nor rediss://
                    http://a:b@h     | : it begins with neither redis:// nor rediss://
                    redis://         | : it has no host
                    redis://a:b@     | : it has no host
                    redis://h:0      | : the port is not a number from 1 to 65535
                    redis://h:99999  | : the port is not a number from 1 to 65535
                    redis://a:b@h:x/1 | : the port is not a number from 1 to 65535
                    redis://[::1]:0  | : the port is not a number from 1 to 65535
                    redis://h:1/x    | : the database after the host is not a number
                    redis://user@h   | ''
                    """)
    void complaintNamesThePartThatIsWrong(String text, String reason) {
        assertThat(RedisAddress.complaint(text))
                .isEqualTo(" is not redis[s]://[user:password@]host[:port][/database]" + reason);
    }

    @ParameterizedTest
    @CsvSource({
        "h:6379, h:6379",
        "redis://h/abc, redis://h/abc",
        "redis://user:secret@h/abc, redis://***@h/abc",
        "redis://:s@ecr/et@h, redis://***@h",
        "user:secret@h, ***@h",
        "user:secr://et@h, ***@h",
        "redis://h?password=secret, redis://h?***"
    })
    void passwordsAreNotShown(String text, String shown) {
        assertThat(RedisAddress.withoutCredentials(text)).isEqualTo(shown);
    }
}
