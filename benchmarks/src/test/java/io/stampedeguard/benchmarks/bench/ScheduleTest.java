package io.stampedeguard.benchmarks.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.Peers;
import io.stampedeguard.benchmarks.workload.Workload;
import io.stampedeguard.benchmarks.workload.Workload.Effort;
import io.stampedeguard.benchmarks.workload.Workloads;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final List<PeerKind> PEERS =
            List.of(Peers.named("guarded"), Peers.named("cache-aside"), Peers.named("caffeine"));

    private static List<Schedule.Slot> slots(String name, Effort effort) {
        Workload workload = Workloads.ALL.get(Workloads.names().indexOf(name));
        return Schedule.of(workload, PEERS.stream().filter(workload::suits).toList(), effort);
    }

    private static List<String> peers(List<Schedule.Slot> slots) {
        return slots.stream().map(slot -> slot.peer().name()).toList();
    }

    @Test
    void peersTakeTurnsAndThreeRoundsWarmUpBeforeSevenThatCount() {
        List<Schedule.Slot> slots = slots("W4", new Effort(false, null));

        assertThat(peers(slots.subList(0, 6)))
                .containsExactly("guarded", "cache-aside", "caffeine", "guarded", "cache-aside", "caffeine");
        assertThat(slots)
                .filteredOn(slot -> slot.peer().name().equals("caffeine"))
                .extracting(Schedule.Slot::number)
                .containsExactly(-2, -1, 0, 1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void whoHasMoreRoundsGoesOnAlone() {
        List<Schedule.Slot> slots = slots("W9", new Effort(false, null));

        assertThat(slots).hasSize(503 + 103);
        assertThat(peers(slots.subList(0, 206)))
                .startsWith("guarded", "cache-aside")
                .endsWith("guarded", "cache-aside");
        assertThat(peers(slots.subList(206, 606))).containsOnly("guarded");
    }

    @Test
    void roundsThatAreAskedForAreThoseThatCount() {
        assertThat(slots("W6", new Effort(false, 4)))
                .filteredOn(slot -> slot.peer().name().equals("guarded"))
                .extracting(Schedule.Slot::number)
                .containsExactly(0, 1, 2, 3, 4);
    }
}
