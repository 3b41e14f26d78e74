package io.stampedeguard.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.FleetMembers;
import io.stampedeguard.internal.spi.FleetMembers.Membership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What every shared store must do that counts the processes of a fleet, as a {@link FleetMembers}. A store's test has it as a
 * nested class beside the {@link SharedStoreContract}; each test has a cache of its own.
 */
public abstract class FleetMembersContract {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(60);

    private final String cache =
            "members-" + Long.toHexString(ThreadLocalRandom.current().nextLong());
    private FleetMembers store;

    @BeforeEach
    void takeStore() {
        store = store();
    }

    /** Returns the store under test. */
    protected abstract FleetMembers store();

    /** Lets time pass: in reality, or on the store's virtual clock. */
    protected void pass(Duration length) throws InterruptedException {
        Thread.sleep(length.toMillis());
    }

    @Test
    @Tag("essential")
    void announcedProcessesAreCountedOnceEach() {
        assertThat(store.beat(cache, "b", LONG)).isEqualTo(new Membership(1, 0));
        assertThat(store.beat(cache, "a", LONG).processes()).isEqualTo(2);
        assertThat(store.beat(cache, "b", LONG).processes()).isEqualTo(2);
    }

    @Test
    @Tag("essential")
    void eachProcessHasARankOfItsOwnWhicheverIsAnnouncedLast() {
        List<String> processes = List.of("7-ff-1", "10-ff-1", "a b", "10-fe-9", "\u4e2d");
        processes.forEach(process -> store.beat(cache, process, LONG));
        List<Integer> ranks = ranks(processes);

        assertThat(ranks).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
        store.beat(cache, processes.get(2), LONG);
        assertThat(ranks(processes)).isEqualTo(ranks);
    }

    private List<Integer> ranks(List<String> processes) {
        return processes.stream()
                .map(process -> store.beat(cache, process, LONG).rank())
                .toList();
    }

    @Test
    @Tag("essential")
    void processThatIsNotAnnouncedAgainIsRemoved() throws InterruptedException {
        store.beat(cache, "b", LONG);
        assertThat(store.beat(cache, "a", SHORT)).isEqualTo(new Membership(2, 0));

        pass(SHORT.multipliedBy(2));

        assertThat(store.beat(cache, "b", LONG)).isEqualTo(new Membership(1, 0));
    }

    @Test
    void processThatIsAnnouncedAgainLivesOn() throws InterruptedException {
        store.beat(cache, "a", SHORT);
        store.beat(cache, "a", LONG);

        pass(SHORT.multipliedBy(2));

        assertThat(store.beat(cache, "b", LONG)).isEqualTo(new Membership(2, 1));
    }

    @Test
    @Tag("essential")
    void processThatLeavesIsRemoved() {
        store.beat(cache, "a", LONG);
        store.beat(cache, "b", LONG);

        store.leave(cache, "a");
        store.leave(cache, "a");
        store.leave(cache, "stranger");

        assertThat(store.beat(cache, "b", LONG)).isEqualTo(new Membership(1, 0));
        store.leave(cache, "b");
        assertThat(store.beat(cache, "c", LONG)).isEqualTo(new Membership(1, 0));
    }

    @Test
    void cachesAreCountedApart() {
        store.beat(cache, "a", LONG);

        assertThat(store.beat(cache + "-2", "b", LONG).processes()).isEqualTo(1);
        store.leave(cache + "-2", "a");
        assertThat(store.beat(cache, "b", LONG).processes()).isEqualTo(2);
    }

    @Test
    void noneOfManyThatAreAnnouncedAtOnceIsLost() throws Exception {
        try (Callers callers = new Callers()) {
            List<Callers.Call<Membership>> calls = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                String process = "p" + i;
                calls.add(callers.call(() -> store.beat(cache, process, LONG)));
            }
            for (Callers.Call<Membership> call : calls) {
                call.result();
            }
        }
        assertThat(store.beat(cache, "p7", LONG).processes()).isEqualTo(16);
    }
}
