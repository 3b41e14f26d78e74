package io.stampedeguard.benchmarks.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeerOptionsTest {
    @Test
    void optionsArriveAsTheyWereSent() {
        for (PeerOptions sent : List.of(
                PeerOptions.usual(),
                PeerOptions.ttl(Duration.ofSeconds(1)),
                PeerOptions.ttl(Duration.ofSeconds(1)).keepingStale(Duration.ofMinutes(1)),
                PeerOptions.connections(16),
                PeerOptions.connections(16).filtering(1_000_000).keepingNegatives(Duration.ZERO),
                PeerOptions.usual().patiently(),
                PeerOptions.usual().readingSingly())) {
            assertThat(PeerOptions.of(sent.in(Message.of("ask")))).isEqualTo(sent);
        }
    }
}
