package io.stampedeguard.redis.internal.subscribe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.stampedeguard.internal.spi.LeaseNotifications.Notice;
import io.stampedeguard.internal.spi.LeaseToken;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NoticeFormatTest {
    private static final LeaseToken TOKEN = new LeaseToken(1, 2, 3);
    private static final String KINDS = "ETFRx";

    @Test
    void eachKindIsUnderstood() {
        Notice.Published entry = (Notice.Published) NoticeFormat.read(message("E", "value"));
        assertThat(entry.token()).isEqualTo(TOKEN);
        assertThat(entry.entry()).startsWith(TOKEN.toBytes()).endsWith("value".getBytes(UTF_8));
        assertThat(NoticeFormat.read(message("T", ""))).isEqualTo(new Notice.Published(TOKEN, null));
        assertThat(NoticeFormat.read("R".getBytes(UTF_8))).isEqualTo(new Notice.Freed());
        Notice.Failed failed = (Notice.Failed) NoticeFormat.read(message("F", "1500\n12\n3"));
        assertThat(failed.token()).isEqualTo(TOKEN);
        assertThat(failed.coolDown()).isEqualTo(Duration.ofMillis(1_500));
        assertThat(failed.failure()).isEqualTo("12\n3".getBytes(UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1500", "\n", "x\n", "-1\n", "9999999999999999999999\n", "1 \n"})
    void aFailureWithoutALengthIsNotUnderstood(String payload) {
        assertThat(NoticeFormat.read(message("F", payload))).isNull();
    }

    @Test
    void anyBytesAreANoticeOrNothing() {
        long seed = ThreadLocalRandom.current().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] message = new byte[random.nextInt(40)];
            random.nextBytes(message);
            if (message.length > 0) {
                message[0] = (byte) KINDS.charAt(random.nextInt(KINDS.length()));
            }
            assertThatCode(() -> NoticeFormat.read(message)).as("seed %d", seed).doesNotThrowAnyException();
        }
    }

    private static byte[] message(String kind, String payload) {
        byte[] rest = payload.getBytes(UTF_8);
        ByteBuffer message = ByteBuffer.allocate(1 + LeaseToken.BYTES + rest.length);
        message.put(kind.getBytes(UTF_8));
        TOKEN.writeTo(message);
        return message.put(rest).array();
    }
}
