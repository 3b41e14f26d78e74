package io.stampedeguard.testbed.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProgramRunTest {
    @TempDir
    Path directory;

    /** So a test of a command's options and output need not start a JVM. */
    @ParameterizedTest
    @ValueSource(strings = {"--say word", "--say nothing", "--fail", "--no-such-option", "--help"})
    void programEndsAsItsCommandDoesInThisJvm(String options) throws Exception {
        ProgramRun here = ProgramRun.here(EchoProgram.NAME, new EchoProgram(), options.split(" "));

        assertThat(ProgramRun.inOwnJvm(EchoProgram.class, directory, options.split(" ")))
                .isEqualTo(here);
    }

    @ParameterizedTest
    @CsvSource(ignoreLeadingAndTrailingWhitespace = false, textBlock = """
                    wrong password,it failed: wrong password
                    it failed,it failed
                    \u001b[31mred\u202e,it failed: ?[31mred?
                    """)
    void lastCauseOfAFailureIsShownOnceAndPrintable(String cause, String text) {
        assertThat(ProgramRun.here(EchoProgram.NAME, new EchoProgram(), "--because", cause))
                .isEqualTo(new ProgramRun(1, List.of(), "stampede echo: " + text + "%n".formatted()));
    }

    @Test
    void wrongOptionIsOneLineAndExitCode2() {
        assertThat(ProgramRun.here(EchoProgram.NAME, new EchoProgram(), "--no-such-option"))
                .isEqualTo(ProgramRun.ofWrongOption(EchoProgram.NAME, "Unknown option: '--no-such-option'"))
                .isEqualTo(new ProgramRun(
                        2,
                        List.of(),
                        "stampede echo: Unknown option: '--no-such-option' (see ./stampede echo --help)%n"
                                .formatted()));
    }
}
