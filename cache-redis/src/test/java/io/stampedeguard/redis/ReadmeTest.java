package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.FreePort;
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

        assertThat(output).isEqualTo("Redis answers\nProduct[id=42, name=lamp]");
    }

    @Test
    void quickStartFailsWithoutRedis() throws Exception {
        String code = PageCode.of(Path.of("..", "README.md"));
        String nobody = "redis://localhost:" + FreePort.find();

        PageCode.Ended ended =
                PageCode.end(directory, "QuickStart", PageCode.withServer(code, "redis://localhost:6379", nobody));

        assertThat(ended.exitCode()).as(ended.errors()).isEqualTo(1);
        assertThat(ended.output()).isEmpty();
        assertThat(ended.errors()).contains("StoreException");
    }
}
