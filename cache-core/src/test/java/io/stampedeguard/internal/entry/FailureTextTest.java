package io.stampedeguard.internal.entry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FailureTextTest {
    @Test
    void classAndMessageComeBack() {
        for (String message : new String[] {"connection refused", "", "two\nlines", "\u00e4\u4e2d\ud83d\ude00"}) {
            FailureText text = FailureText.of(new IOException(message));

            assertThat(FailureText.decode(text.encode())).isEqualTo(new FailureText("java.io.IOException", message));
        }
        assertThat(FailureText.decode(FailureText.of(new IOException()).encode()))
                .isEqualTo(new FailureText("java.io.IOException", null));
    }

    @Test
    void longMessagesAreCutBetweenCharacters() {
        FailureText text = FailureText.of(new IOException("\ud83d\ude00".repeat(10_000)));
        FailureText odd = FailureText.of(new IOException("x" + "\ud83d\ude00".repeat(10_000)));

        assertThat(text.message()).hasSize(500);
        assertThat(odd.message()).hasSize(499);
        assertThat(FailureText.decode(odd.encode())).isEqualTo(odd);
        assertThat(odd.encode().length).isLessThan(3_000);
    }

    @Test
    void exceptionWhoseMessageFailsHasNone() {
        FailureText text = FailureText.of(new IOException() {
            @Override
            public String getMessage() {
                throw new IllegalStateException("no message");
            }
        });

        assertThat(text.message()).isNull();
    }

    @Test
    void anyBytesAreAText() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            byte[] bytes = new byte[random.nextInt(2_000)];
            random.nextBytes(bytes);
            assertThat(FailureText.decode(bytes).type().length())
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(200);
        }
    }
}
