package io.stampedeguard.demo.serve.stage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LostFilterTest {
    private final List<CompletableFuture<Boolean>> asked = new ArrayList<>();
    private final LostFilter filter = new LostFilter(this::ask);

    @Test
    void nobodyIsAskedWhileNothingIsLost() {
        filter.see();

        assertThat(asked).isEmpty();
    }

    @Test
    void oneIsAskedAndNoOtherUntilThatOneAnswers() {
        filter.lost();
        filter.see();
        filter.see();
        assertThat(asked).hasSize(1);

        asked.get(0).complete(true);
        filter.see();
        filter.see();
        assertThat(asked).hasSize(1);
    }

    @Test
    void whatFailsOrWhoseProcessEndsIsAskedAgain() {
        filter.lost();
        filter.see();
        asked.get(0).complete(false);
        filter.see();
        assertThat(asked).hasSize(2);

        asked.get(1).complete(true);
        filter.see();
        assertThat(asked).hasSize(2);
    }

    @Test
    void whatWasBuiltWhileRedisBeganEmptyOnceMoreIsBuiltAgain() {
        filter.lost();
        filter.see();
        filter.lost();
        asked.get(0).complete(true);
        filter.see();
        assertThat(asked).hasSize(2);

        asked.get(1).complete(true);
        filter.see();
        assertThat(asked).hasSize(2);
    }

    private CompletableFuture<Boolean> ask() {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        asked.add(answer);
        return answer;
    }
}
