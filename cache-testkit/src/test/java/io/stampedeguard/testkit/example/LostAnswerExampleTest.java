package io.stampedeguard.testkit.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.testkit.CountingLoader;
import io.stampedeguard.testkit.FaultyStore;
import io.stampedeguard.testkit.FaultyStore.Call;
import io.stampedeguard.testkit.VirtualTime;
import org.junit.jupiter.api.Test;

final class LostAnswerExampleTest {
    private final VirtualTime time = new VirtualTime();
    private final FaultyStore store = FaultyStore.create(time);
    private final CountingLoader<Long, String> database = CountingLoader.of(id -> "lamp");

    @Test
    void lostAnswerCausesNoSecondLoadInTheFleet() {
        try (StampedeGuardedCache<Long, String> one = process();
                StampedeGuardedCache<Long, String> other = process()) {
            store.loseAnswers(Call.PUBLISH); // the value is stored, but its process does not learn of it

            assertThat(one.get(42L, database)).isEqualTo("lamp");
            assertThat(other.get(42L, database)).isEqualTo("lamp");

            assertThat(store.faults()).as("%s", store).isPositive();
            assertThat(database.loads(42L)).isEqualTo(1);
        }
    }

    private StampedeGuardedCache<Long, String> process() {
        return StampedeGuardedCache.<Long, String>builder("products")
                .store(store)
                .codec(StringCodec.of())
                .timeSource(time)
                .build();
    }
}
