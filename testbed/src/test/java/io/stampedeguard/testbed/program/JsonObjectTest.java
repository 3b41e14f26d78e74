package io.stampedeguard.testbed.program;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JsonObjectTest {
    @Test
    void childIsAddedInItsStateAtTheCall() {
        JsonObject child = new JsonObject().number("a", 1);
        JsonObject parent = new JsonObject().object("child", child);

        child.number("b", 2);

        assertThat(parent).hasToString("{\"child\":{\"a\":1}}");
    }

    @Test
    void textIsEscapedToPrintableAscii() {
        JsonObject json = new JsonObject().text("ä\u007f", "\u0000\t\u001f\u007f\u0080ü\u2028\"\\");

        assertThat(json.toString())
                .matches("[ -~]+")
                .isEqualTo("{\"\\u00E4\\u007F\":\"\\u0000\\t\\u001F\\u007F\\u0080\\u00FC\\u2028\\\"\\\\\"}");
    }
}
