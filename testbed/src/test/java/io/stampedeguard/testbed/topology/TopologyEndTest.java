package io.stampedeguard.testbed.topology;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.OwnerJvm;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopologyEndTest {
    @TempDir
    Path directory;

    @Test
    void aJvmThatIsEndedPolitelyLeavesNeitherServersNorFiles() throws Exception {
        try (OwnerJvm owner = OwnerJvm.start(directory, TopologyOwner.class, "embedded", Map.of())) {
            List<ProcessHandle> servers = Stream.of(owner.nextLine().split(" "))
                    .map(pid -> ProcessHandle.of(Long.parseLong(pid)).orElseThrow())
                    .toList();
            assertThat(servers).hasSize(6);

            owner.signal("TERM");

            for (ProcessHandle server : servers) {
                server.onExit().get(30, SECONDS);
            }
            owner.exitCode();
            assertThat(directory.resolve("temporary")).isEmptyDirectory();
        }
    }
}
