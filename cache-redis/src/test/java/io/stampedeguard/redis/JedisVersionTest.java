package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JedisVersionTest {
    @ParameterizedTest
    @ValueSource(strings = {"5.2.0", "3.10.0"})
    void oneThatIsTooOldIsRejectedAndTheMessageNamesBothVersions(String version) {
        assertThatThrownBy(() -> JedisVersion.check(version))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Jedis " + version + " is on the class path, but Jedis 6.0 to 8 are supported");
    }

    @ParameterizedTest
    @ValueSource(strings = {"6.0.0", "7.4.1", "8.0.2", "of somebody's own"})
    void supportedAndUnknownVersionsAreAccepted(String version) {
        LogLines log = LogLines.of(
                () -> assertThatCode(() -> JedisVersion.check(version)).doesNotThrowAnyException());
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void oneThatIsNewerIsAWarning() {
        LogLines log = LogLines.of(() -> JedisVersion.check("9.1.0"));
        assertThat(log.lines())
                .singleElement()
                .asString()
                .contains("Jedis 9.1.0 is on the class path; Jedis 6.0 to 8 are supported, this version is untested");
    }
}
