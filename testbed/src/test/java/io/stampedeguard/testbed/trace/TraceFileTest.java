package io.stampedeguard.testbed.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

class TraceFileTest {
    @TempDir
    Path directory;

    @Test
    void eachRequestIsABigEndianKeyOf32Bits() throws Exception {
        Path file = compressed(0, 0, 0, 1, 0x12, 0x34, 0x56, 0x78, 0xFF, 0xFF, 0xFF, 0xFE, 0, 0, 0, 1);
        assertThat(TraceFile.looksRight(file)).isTrue();
        assertThat(TraceFile.read(file)).containsExactly(1, 0x12345678, -2, 1);
    }

    @Test
    void theFirstRequestsAreReadAlone() throws Exception {
        Path file = compressed(0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3);
        assertThat(TraceFile.read(file, 2)).containsExactly(1, 2);
        assertThat(TraceFile.read(file, 4)).containsExactly(1, 2, 3);
    }

    @Test
    void aTraceThatIsCutOffIsRefused() throws Exception {
        Path midKey = compressed(0, 0, 0, 1, 0x12);
        assertThatThrownBy(() -> TraceFile.read(midKey)).isInstanceOf(IOException.class);

        byte[] whole = Files.readAllBytes(compressed(0, 0, 0, 1));
        Path midFile = Files.write(directory.resolve("cut.xz"), java.util.Arrays.copyOf(whole, whole.length - 9));
        assertThatThrownBy(() -> TraceFile.read(midFile)).isInstanceOf(IOException.class);
    }

    @Test
    void whatIsNoXzFileDoesNotLookRight() throws Exception {
        assertThat(TraceFile.looksRight(Files.writeString(directory.resolve("a.txt"), "7zXZ")))
                .isFalse();
        assertThat(TraceFile.looksRight(directory.resolve("none"))).isFalse();
        assertThat(TraceFile.looksRight(directory)).isFalse();
    }

    private Path compressed(int... bytes) throws IOException {
        Path file = directory.resolve("trace.xz");
        try (OutputStream out = new XZOutputStream(Files.newOutputStream(file), new LZMA2Options())) {
            for (int one : bytes) {
                out.write(one);
            }
        }
        return file;
    }
}
