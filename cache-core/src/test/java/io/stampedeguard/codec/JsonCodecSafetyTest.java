package io.stampedeguard.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.jsontype.PolymorphicTypeValidator;

/** Stored bytes never choose the classes that are made of them. */
final class JsonCodecSafetyTest {
    private static final String GADGET = Gadget.class.getName();
    private static final PolymorphicTypeValidator ANYTHING = BasicPolymorphicTypeValidator.builder()
            .allowIfBaseType(Object.class)
            .build();

    /** A class that notes when it is made. */
    static final class Gadget {
        static final AtomicInteger MADE = new AtomicInteger();

        public int setting;

        Gadget() {
            MADE.incrementAndGet();
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    private interface Named {}

    record Parcel(Object content) {}

    @BeforeEach
    void nothingIsMadeYet() {
        Gadget.MADE.set(0);
    }

    @ParameterizedTest
    @EnumSource(DefaultTyping.class)
    void mapperWithDefaultTypingIsRefused(DefaultTyping typing) {
        JsonMapper mapper =
                JsonMapper.builder().activateDefaultTyping(ANYTHING, typing).build();

        for (Class<?> type : new Class<?>[] {Parcel.class, Object.class, String.class, Gadget.class, int[].class}) {
            assertThatThrownBy(() -> JsonCodec.of(type, mapper))
                    .as("%s", type)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("default typing");
        }
    }

    @Test
    void mapperWithDefaultTypingAsAPropertyIsRefused() {
        JsonMapper mapper = JsonMapper.builder()
                .activateDefaultTypingAsProperty(ANYTHING, DefaultTyping.NON_FINAL, "kind")
                .build();

        assertThatThrownBy(() -> JsonCodec.of(Parcel.class, mapper)).hasMessageContaining("default typing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[\"%s\",{\"setting\":1}]", "{\"@class\":\"%s\",\"setting\":1}", "{\"@type\":\"%s\"}"})
    void classNamedInTheBytesIsNeverMade(String form) {
        String named = form.formatted(GADGET);

        Object content = JsonCodec.of(Parcel.class).decode(json("{\"content\":" + named + "}"));
        Object bare = JsonCodec.of(Object.class).decode(json(named));

        assertThat(content).hasToString("Parcel[content=" + bare + "]");
        assertThat(bare).asString().as("only text").contains(GADGET);
        assertThat(Gadget.MADE).hasValue(0);
    }

    @Test
    void mapperThatReadsClassNamesByAMixInMakesNothing() {
        JsonMapper mapper =
                JsonMapper.builder().addMixIn(Object.class, Named.class).build();

        assertThatThrownBy(() -> JsonCodec.of(Parcel.class, mapper)
                        .decode(json("{\"content\":{\"@class\":\"" + GADGET + "\",\"setting\":1}}")))
                .isInstanceOf(JacksonException.class);
        assertThat(Gadget.MADE).hasValue(0);
    }

    @Test
    void gadgetWouldBeNoticed() {
        assertThat(JsonCodec.of(Gadget.class).decode(json("{\"setting\":1}")).setting)
                .isOne();
        assertThat(Gadget.MADE).hasValue(1);
    }

    private static ByteBuffer json(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }
}
