package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's quick start runs on a real Redis as a user runs it: unchanged except for the address of the server. */
final class ReadmeTest {
    @TempDir
    private Path directory;

    @Test
    void quickStartRuns() throws Exception {
        String code = PageCode.of(Path.of("..", "README.md"));

        String output = PageCode.launch(
                directory, "QuickStart", PageCode.withServer(code, "redis://localhost:6379", SharedRedis.uri()));

        assertThat(output).isEqualTo("Product[id=42, name=lamp] and 3 products");
    }
}
