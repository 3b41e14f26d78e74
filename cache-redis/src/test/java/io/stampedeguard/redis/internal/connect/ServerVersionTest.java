package io.stampedeguard.redis.internal.connect;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.internal.connect.ServerCheck.ServerVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerVersionTest {
    @ParameterizedTest
    @ValueSource(strings = {"6.2.0", "6.2.6", "6.9.0", "7.0.15", "8.4.0", "10.0.0", "255.255.255", "7.2"})
    void aNewServerIsNewEnough(String version) {
        assertThat(told(version).text()).isEqualTo(version);
        assertThat(told(version).isTooOld()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"6.0.16", "6.1.240", "5.0.14.1", "2.8.24", "3.10.0", "0.1"})
    void anOldServerIsTooOld(String version) {
        assertThat(told(version).isTooOld()).isTrue();
        assertThat(told(version).complaint(" at here:1"))
                .isEqualTo("the server at here:1 is Redis " + version + ", but 6.2 or newer is needed");
    }

    /** The answer of Valkey 8.1, which includes a version of Redis with which it is compatible. */
    @Test
    void valkeyIsTakenForWhatItIsCompatibleWith() {
        String info = """
                # Server\r
                redis_version:7.2.4\r
                server_name:valkey\r
                valkey_version:8.1.3\r
                valkey_release_stage:ga\r
                redis_git_sha1:00000000\r
                redis_build_id:1\r
                server_mode:standalone\r
                """;
        ServerVersion version = requireNonNull(ServerVersion.in(info));
        assertThat(version.text()).isEqualTo("7.2.4");
        assertThat(version.isTooOld()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "# Server\r\n",
                "redis_version:",
                "redis_version:unknown",
                "redis_version:7",
                "redis_version:99999999999.1",
                "other_redis_version:5.0.0"
            })
    void whatIsNotUnderstoodIsNoVersion(String info) {
        assertThat(ServerVersion.in(info)).isNull();
    }

    private static ServerVersion told(String version) {
        return requireNonNull(
                ServerVersion.in("# Server\r\nredis_version:" + version + "\r\nredis_git_sha1:00000000\r\n"));
    }
}
