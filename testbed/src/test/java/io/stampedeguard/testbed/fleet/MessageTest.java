package io.stampedeguard.testbed.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MessageTest {
    private static final Inner INNER = new Inner(TimeUnit.DAYS, true);

    private record Inner(TimeUnit unit, boolean flag) {}

    private record Outer(
            String text,
            int number,
            @Nullable Integer some,
            @Nullable Integer none,
            long large,
            Inner inner,
            Duration length,
            @Nullable Duration noLength,
            @Nullable Path path,
            @Nullable Path noPath) {}

    private static Message sent(Record record) {
        return Message.parse(Message.of("verb").with(record).line());
    }

    @Test
    void recordArrivesAsItWasSent() {
        Outer outer = new Outer(
                "a = b c", -7, 7, null, Long.MAX_VALUE, INNER, Duration.ofMillis(7), null, Path.of("a b", "c"), null);

        assertThat(sent(outer).read(Outer.class)).isEqualTo(outer);
        assertThat(sent(outer).read(Inner.class)).isEqualTo(INNER);
    }

    @Test
    void twoRecordsCannotHaveOneField() {
        Message message = Message.of("verb").with("flag", 1);

        assertThatThrownBy(() -> message.with(INNER)).hasMessage("verb[flag] has a field 'flag'");
    }

    @Test
    void recordOfMissingOrOtherFieldsIsRefused() {
        assertThatThrownBy(() -> Message.of("verb").read(Inner.class)).hasMessage("message 'verb' has no field 'unit'");
        assertThatThrownBy(() -> Message.of("verb")
                        .with("unit", "AGES")
                        .with("flag", true)
                        .read(Inner.class))
                .hasMessage("'AGES' is no TimeUnit");
    }
}
