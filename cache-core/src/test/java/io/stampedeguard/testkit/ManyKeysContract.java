package io.stampedeguard.testkit;

import static io.stampedeguard.testkit.KeyCalls.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every shared store must do with many keys at once: for each the same as with that key alone. */
public abstract class ManyKeysContract extends InspectionContract {
    private static final int MANY = 100;
    private static final Duration SHORT = Duration.ofMillis(150);
    private static final byte[] REASON = {0, '\n', -1};

    private String key(int number) {
        return key + ":" + number;
    }

    private HeldLease held(int number) {
        return new HeldLease(key(number), granted(key(number), null, LONG));
    }

    private static LeaseEnd.Publish published(HeldLease lease, String payload) {
        return new LeaseEnd.Publish(entry(lease.token(), payload), LONG);
    }

    @Test
    void nothingOfNoKeys() {
        assertThat(on(store).readAll(List.of())).isEmpty();
        assertThat(on(store).leaseAll(List.of(), LONG)).isEmpty();
        assertThat(store.renew(List.of(), LONG)).isEmpty();
        assertThat(store.end(Map.of())).isEmpty();
        assertThat(store.invalidate(List.of(), LONG)).isEmpty();
    }

    @Test
    @Tag("essential")
    void manyEntriesAreRemovedWithTheirLeases() {
        List<String> keys = IntStream.range(0, MANY).mapToObj(this::key).toList();
        for (int i = 0; i < MANY; i += 2) {
            on(store).put(key(i), entry(LeaseToken.next(), "old"), LONG);
        }
        HeldLease loading = held(1);

        Map<String, Boolean> removed = store.invalidate(keys, LONG);

        assertThat(removed).hasSize(MANY).containsKeys(keys.toArray(String[]::new));
        assertThat(removed.values()).containsOnly(true);
        assertThat(on(store).readAll(keys).values()).hasSize(MANY).containsOnlyNulls();
        assertThat(on(store).publish(loading.key(), loading.token(), entry(loading.token(), "late"), LONG))
                .isFalse();
        granted(loading.key(), null, LONG);
    }

    @Test
    @Tag("essential")
    void manyEntriesAreReadByteForByteAndAbsentOnesAreNull() {
        Map<String, byte[]> stored = new HashMap<>();
        for (int i = 0; i < MANY; i++) {
            stored.put(key(i), i % 3 == 0 ? null : entry(LeaseToken.next(), "\0\r\n" + i));
        }
        stored.forEach((each, entry) -> {
            if (entry != null) {
                on(store).put(each, entry, LONG);
            }
        });

        Map<String, byte[]> read = on(store).readAll(stored.keySet());

        assertThat(read.keySet()).isEqualTo(stored.keySet());
        stored.forEach((each, entry) -> assertThat(read.get(each)).isEqualTo(entry));
    }

    @Test
    void theEntriesOfManyKeysAreFoundInAnyOrder() {
        List<String> keys = IntStream.range(0, 5).mapToObj(this::key).toList();
        keys.subList(0, 4).forEach(each -> on(store).put(each, entry(LeaseToken.next(), each), LONG));

        Map<String, byte[]> read = on(store).readAll(keys);

        assertThat(read.get(keys.get(0))).isEqualTo(on(store).read(keys.get(0)));
        for (int number : new int[] {3, 1, 2, 0}) {
            assertThat(read.get(keys.get(number))).isEqualTo(on(store).read(keys.get(number)));
        }
        assertThat(read).containsEntry(keys.get(4), null).doesNotContainKey("another");
        assertThat(read.get("another")).isNull();
    }

    @Test
    void anyTextIsOneOfManyKeys() {
        List<String> odd = List.of(key, key + "{", key + "}", key + "%7B", key + "\u4e2d\ud83d\ude00", key + "\0");
        Map<String, LeaseToken> tokens = new HashMap<>();
        odd.forEach(each -> tokens.put(each, LeaseToken.next()));
        tokens.forEach((each, token) -> on(store).put(each, entry(token, each), LONG));

        Map<String, byte[]> read = on(store).readAll(odd);

        assertThat(read).hasSize(odd.size());
        odd.forEach(each -> assertThat(read.get(each)).isEqualTo(entry(tokens.get(each), each)));
    }

    @Test
    @Tag("essential")
    void eachOfManyAskersHasTheAnswerThatItHadAlone() {
        byte[] news = entry(LeaseToken.next(), "news");
        LeaseToken seen = LeaseToken.next();
        on(store).put(key(1), news, LONG);
        on(store).put(key(2), entry(seen, "seen"), LONG);
        HeldLease holder = held(3);
        HeldLease broken = held(4);
        on(store).fail(broken.key(), broken.token(), new LeaseEnd.Fail(REASON, 1, LONG, LONG));

        Map<String, LeaseAttempt> answers = on(store)
                .leaseAll(
                        List.of(
                                new LeaseRequest(key(0), LeaseToken.next(), null),
                                new LeaseRequest(key(1), LeaseToken.next(), seen),
                                new LeaseRequest(key(2), LeaseToken.next(), seen),
                                new LeaseRequest(key(3), LeaseToken.next(), null),
                                new LeaseRequest(key(4), LeaseToken.next(), null)),
                        LONG);

        assertThat(answers).hasSize(5);
        assertThat(answers.get(key(0))).isEqualTo(new LeaseAttempt.Granted(0));
        assertThat(((LeaseAttempt.Found) answers.get(key(1))).stored()).isEqualTo(news);
        assertThat(answers.get(key(2))).isEqualTo(new LeaseAttempt.Granted(0));
        LeaseAttempt.Held isHeld = (LeaseAttempt.Held) answers.get(key(3));
        assertThat(isHeld.holder()).isEqualTo(holder.token());
        assertThat(isHeld.remaining()).isBetween(LONG.minusSeconds(10), LONG);
        assertThat(((LeaseAttempt.Failed) answers.get(key(4))).failure()).isEqualTo(REASON);
    }

    /** Leases that were requested together, entries, however they came into the store, and marks of unstored results and failures. */
    @Test
    @Tag("essential")
    void whatIsBriefDiesByItself() throws InterruptedException {
        LeaseToken seen = LeaseToken.next();
        on(store).put(key(1), entry(seen, "extended"), LONG);
        on(store).put(key(2), entry(LeaseToken.next(), "put"), SHORT);
        HeldLease extended = new HeldLease(key(1), granted(key(1), seen, LONG));
        HeldLease brief = held(3);
        HeldLease lasting = held(4);
        assertThat(store.end(Map.of(
                                extended,
                                new LeaseEnd.Extend(seen, extended.token().toBytes(), SHORT, List.of()),
                                brief,
                                new LeaseEnd.Publish(entry(brief.token(), "brief"), SHORT),
                                lasting,
                                published(lasting, "lasting")))
                        .values())
                .containsOnly(true);
        List<LeaseRequest> requests = List.of(
                new LeaseRequest(key(5), LeaseToken.next(), null), new LeaseRequest(key(6), LeaseToken.next(), null));
        assertThat(on(store).leaseAll(requests, SHORT).values())
                .hasSize(2)
                .allMatch(LeaseAttempt.Granted.class::isInstance);
        HeldLease passed = held(7);
        HeldLease failed = held(8);
        on(store).pass(passed.key(), passed.token(), new LeaseEnd.Pass(null, SHORT, true, List.of()));
        Duration brieflyCounted = SHORT.dividedBy(2);
        on(store).fail(failed.key(), failed.token(), new LeaseEnd.Fail(REASON, 3, brieflyCounted, brieflyCounted));

        pass(SHORT.multipliedBy(2));

        for (HeldLease mark : List.of(passed, failed)) {
            assertThat(on(store).lease(mark.key(), LeaseToken.next(), null, LONG))
                    .isEqualTo(new LeaseAttempt.Granted(0));
        }
        for (int number : new int[] {1, 2, 3}) {
            assertThat(on(store).read(key(number))).as(key(number)).isNull();
        }
        assertThat(on(store).read(lasting.key())).isNotNull();
        granted(brief.key(), brief.token(), LONG); // though this entry was seen
        for (LeaseRequest late : requests) {
            assertThat(store.inspect(late.key()).lease()).isEqualTo(new LeaseAttempt.Granted(0));
            assertThat(on(store).publish(late.key(), late.token(), entry(late.token(), "late"), LONG))
                    .as("though nobody took over")
                    .isFalse();
            assertThat(on(store).abandon(late.key(), late.token())).isFalse();
            assertThat(on(store).read(late.key())).isNull();
            granted(late.key(), null, LONG);
        }
    }

    @Test
    void twoWhoAskForTheSameKeysShareThem() {
        List<LeaseRequest> one = new ArrayList<>();
        List<LeaseRequest> other = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            one.add(new LeaseRequest(key(i), LeaseToken.next(), null));
            other.add(0, new LeaseRequest(key(i), LeaseToken.next(), null));
        }

        Map<String, LeaseAttempt> first = on(store).leaseAll(one.subList(0, MANY / 2), LONG);
        Map<String, LeaseAttempt> second = on(store).leaseAll(other, LONG);

        assertThat(first.values()).hasSize(MANY / 2).containsOnly(new LeaseAttempt.Granted(0));
        assertThat(second).hasSize(MANY);
        second.forEach((each, answer) -> assertThat(answer)
                .isInstanceOf(first.containsKey(each) ? LeaseAttempt.Held.class : LeaseAttempt.Granted.class));
    }

    @Test
    @Tag("essential")
    void manyEntriesArePublishedButForThatWhoseLeaseIsLost() {
        Map<HeldLease, LeaseEnd.Publish> ends = new LinkedHashMap<>();
        for (int i = 0; i < MANY; i++) {
            HeldLease lease = held(i);
            ends.put(lease, published(lease, "loaded " + i));
        }
        byte[] eighth = List.copyOf(ends.values()).get(8).entry();
        on(store).invalidate(key(7));

        Map<String, Boolean> stored = on(store).endAll(ends);

        assertThat(stored).hasSize(MANY).containsEntry(key(7), false);
        assertThat(stored.values()).filteredOn(Boolean::booleanValue).hasSize(MANY - 1);
        assertThat(on(store).read(key(7))).isNull();
        assertThat(on(store).read(key(8))).isEqualTo(eighth);
        assertThat(on(store).endAll(ends))
                .as("asked again, as if the answers had been lost")
                .isEqualTo(stored);
    }

    @Test
    @Tag("essential")
    void oneCallEndsEachLeaseInItsOwnWayUnlessLost() {
        LeaseToken seen = LeaseToken.next();
        on(store).put(key(2), entry(seen, "head and tail"), LONG);
        Map<HeldLease, LeaseEnd> ends = new LinkedHashMap<>();
        HeldLease published = held(1);
        HeldLease extended = new HeldLease(key(2), granted(key(2), seen, LONG));
        ends.put(published, published(published, "loaded"));
        ends.put(extended, new LeaseEnd.Extend(seen, entry(extended.token(), "HEAD"), LONG, List.of()));
        ends.put(held(3), new LeaseEnd.Fail(REASON, 3, LONG, LONG));
        ends.put(held(4), new LeaseEnd.Pass(null, LONG, true, List.of()));
        ends.put(held(5), new LeaseEnd.Abandon());
        ends.put(held(6), new LeaseEnd.Fail(REASON, 1, LONG, LONG));
        ends.put(held(7), new LeaseEnd.Pass(null, LONG, true, List.of()));
        ends.put(new HeldLease(key(8), LeaseToken.next()), new LeaseEnd.Abandon());
        on(store).invalidate(key(6));
        on(store).invalidate(key(7));
        HeldLease somebodyElses = held(8);

        Map<String, Boolean> made = on(store).endAll(ends);

        assertThat(made)
                .hasSize(8)
                .containsEntry(key(6), false)
                .containsEntry(key(7), false)
                .containsEntry(key(8), false);
        assertThat(made.values()).filteredOn(Boolean::booleanValue).hasSize(5);
        assertThat(on(store).read(key(1))).isEqualTo(entry(published.token(), "loaded"));
        assertThat(on(store).read(key(2))).isEqualTo(entry(extended.token(), "HEAD and tail"));
        LeaseAttempt.Failed failed = (LeaseAttempt.Failed) on(store).lease(key(3), LeaseToken.next(), null, LONG);
        assertThat(failed.failure()).isEqualTo(REASON);
        assertThat(failed.remaining()).isBetween(LONG.minusSeconds(10), LONG);
        assertThat(on(store).lease(key(4), LeaseToken.next(), null, LONG))
                .isInstanceOf(LeaseAttempt.NotCacheable.class);
        for (int number : new int[] {5, 6, 7}) {
            granted(key(number), null, LONG);
        }
        assertThat(on(store).abandon(key(8), somebodyElses.token())).isTrue();
    }
}
