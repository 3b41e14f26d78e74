package io.stampedeguard.filter.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.filter.redis.FilterCommands.FilterAnswer;
import io.stampedeguard.filter.redis.FilterGeneration.FilterDesign;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** The steps of a rebuild in orders that no rebuild uses, but that Redis may receive: sent twice, late, or half lost. */
class FilterScriptsTest {
    private static final HashIdentity HASH = HashIdentity.of(KeyHash.standard(), "");
    private static final FilterDesign DESIGN = FilterDesign.of(1_000, 0.01);
    private static final Duration TTL = Duration.ofMinutes(1);
    private static final byte[] ONE = ("one" + HASH).getBytes(US_ASCII);
    private static final byte[] TWO = ("two" + HASH).getBytes(US_ASCII);
    private static final long KEY = 0x1234_5678_9abc_def0L >>> 5; // of the first partition
    private static final byte[] BITS = {0x41, 0, 0, 0x02};

    private final String name = "scripts-" + LeaseToken.next();
    private final Map<byte[], byte[]> begun = new IdentityHashMap<>();
    private final RedisClient client = SharedRedis.client();
    private final FilterCommands calls = new FilterCommands(name, HASH, SharedRedis.parts(client, TimeSource.system()));

    @AfterEach
    void close() {
        client.keys("{" + name + "*").forEach(client::del);
        client.close();
    }

    private Object send(Script.Call call) {
        return call.sendAlone(client);
    }

    private String key(String part) {
        return "{" + name + ":filter:00}:" + part;
    }

    /** Returns what the rebuild learns, and notes when it was begun if it learns that for the first time. */
    private long begin(byte[] id, long rank) {
        List<?> answer = (List<?>) send(calls.begin(0, id, DESIGN, TTL, rank));
        if (answer.size() > 1) {
            begun.putIfAbsent(id, (byte[]) answer.get(1));
        }
        return (Long) answer.get(0);
    }

    private long rank() {
        return Long.parseLong(new String((byte[]) send(calls.rank(0)), US_ASCII));
    }

    private Object fill(byte[] id, int offset) {
        return send(calls.fill(0, id, begun.get(id), TTL, offset, BITS));
    }

    private Object renew(byte[] id) {
        return send(calls.renew(0, id, begun.get(id), TTL));
    }

    private Object commit(byte[] id, long bitsSet) {
        return send(calls.commit(0, id, begun.get(id), bitsSet));
    }

    @Test
    void generationComesIntoForceOnceAndForEver() {
        assertThat(begin(ONE, rank())).isEqualTo(1);
        assertThat(client.pttl(key("state"))).as("with nothing in force").isPositive();
        assertThat(client.pttl(key("a"))).isPositive();
        assertThat(fill(ONE, 8)).isEqualTo(1L);
        assertThat(client.pttl(key("upload:one" + HASH))).isPositive();
        assertThat(commit(ONE, 3)).isEqualTo(1L);
        assertThat(commit(ONE, 3)).as("sent twice").isEqualTo(1L);

        assertThat(client.pttl(key("state"))).isEqualTo(-1);
        assertThat(client.pttl(key("a"))).isEqualTo(-1);
        assertThat(client.exists(key("upload:one" + HASH))).isFalse();
        assertThat(client.bitcount(key("a"))).isEqualTo(3);
    }

    @Test
    void rebuildInForceIsKeptAliveButNotAReplacedOne() {
        begin(ONE, 5);
        commit(ONE, 0);
        assertThat(renew(ONE)).isEqualTo(1L);
        assertThat(fill(ONE, 0)).as("sent again, late").isEqualTo(1L);
        assertThat(client.exists(key("upload:one" + HASH))).as("no rubbish").isFalse();
        assertThat(client.pttl(key("a"))).as("for ever").isEqualTo(-1);

        begin(TWO, 6);
        assertThat(renew(ONE)).as("still in force").isEqualTo(1L);
        commit(TWO, 0);
        assertThat(renew(ONE)).isEqualTo(-1L);
    }

    @Test
    void beginningSentTwiceKeepsWhatWasAddedBetween() {
        Script.Call beginning = calls.begin(0, ONE, DESIGN, TTL, 5);
        List<?> first = (List<?>) send(beginning);
        send(calls.add(KEY));
        List<?> late = (List<?>) send(beginning);

        assertThat((byte[]) late.get(1)).as("when it was begun").isEqualTo((byte[]) first.get(1));
        assertThat(begin(ONE, 5)).isEqualTo(1);
        assertThat(commit(ONE, 0)).isEqualTo(1L);
        assertThat(FilterAnswer.of(send(calls.look(KEY))).mightContain(KEY)).isTrue();
    }

    @Test
    void beginningSentTwiceDoesNotMakeAnewWhatWasLostBetween() {
        begin(ONE, 5);
        send(calls.add(KEY));
        client.del(key("a"));

        assertThat(begin(ONE, 5)).isEqualTo(1);
        assertThat(fill(ONE, 0)).isEqualTo(-1L);
        assertThat(commit(ONE, 0)).isEqualTo(-1L);
    }

    @Test
    void beginningSentTwiceLeavesWhatIsInForceByNow() {
        begin(ONE, 5);
        send(calls.add(KEY));
        commit(ONE, 0);

        assertThat(begin(ONE, 5)).isEqualTo(1);
        assertThat(client.hexists(key("state"), "next")).isFalse();
        assertThat(client.exists(key("b"))).isFalse();
        assertThat(FilterAnswer.of(send(calls.look(KEY))).mightContain(KEY)).isTrue();
    }

    @Test
    void beginningThatComesAfterAnotherOneIsInForceIsRefused() {
        begin(ONE, 5);
        commit(ONE, 0);
        begin(TWO, 6);
        commit(TWO, 0);

        assertThat(begin(ONE, 5)).isZero();
        assertThat(commit(ONE, 0)).isEqualTo(-1L);
        client.hdel(key("state"), "gen");
        assertThat(begin(ONE, 5)).as("though its bitmap was lost").isZero();
        assertThat(rank()).isGreaterThan(6);
        assertThat(begin(ONE, rank())).as("a new rebuild").isEqualTo(1);
    }

    /** Its rank is the same, and its adds are gone: those who have begun the first one must not fill it. */
    @Test
    void beginningThatComesAfterAllWasLostBeginsAnotherOne() {
        begin(ONE, 5);
        send(calls.add(KEY));
        client.del(key("state"), key("a"));

        assertThat(begin(ONE, 5)).isEqualTo(1);
        assertThat(renew(ONE)).isEqualTo(-1L);
        assertThat(fill(ONE, 0)).isEqualTo(-1L);
        assertThat(commit(ONE, 0)).isEqualTo(-1L);
        assertThat(client.hexists(key("state"), "gen")).isFalse();
        assertThat(client.exists(key("upload:one" + HASH))).as("no rubbish").isFalse();
    }

    /** As an earlier version of the library left it. */
    @Test
    void generationWithoutARankIsTheLowest() {
        begin(ONE, 5);
        commit(ONE, 0);
        client.hdel(key("state"), "rank");

        assertThat(begin(TWO, 1)).isEqualTo(1);
        client.hdel(key("state"), "nextRank", "nextBegun");
        byte[] three = ("three" + HASH).getBytes(US_ASCII);
        assertThat(begin(three, 1)).isEqualTo(1);
        assertThat(commit(three, 0)).isEqualTo(1L);
        assertThat(client.hget(key("state"), "rank")).isEqualTo("1");
    }

    @Test
    void uploadOfWhichAChunkWasLostIsRefused() {
        begin(ONE, rank());
        fill(ONE, 0);
        client.del(key("upload:one" + HASH));
        fill(ONE, 64);

        assertThat(commit(ONE, 6)).isEqualTo(-1L);
        assertThat(client.hexists(key("state"), "gen")).isFalse();
    }

    @Test
    void uploadThatWasLostWhollyIsRefusedUnlessItHadNoBits() {
        begin(ONE, rank());
        assertThat(commit(ONE, 3)).isEqualTo(-1L);
        assertThat(commit(ONE, 0)).isEqualTo(1L);
        assertThat(client.strlen(key("a"))).isEqualTo(DESIGN.shape().bytes() / 32);
    }

    @Test
    void ofTwoRebuildsTheLowerRankIsRefusedWhicheverComesFirst() {
        begin(ONE, 5);
        assertThat(begin(TWO, 4)).isZero();
        assertThat(begin(TWO, 5)).as("the same").isZero();
        assertThat(begin(TWO, 6)).isEqualTo(1);
        assertThat(fill(ONE, 0)).isEqualTo(0L);
        assertThat(commit(ONE, 0)).isEqualTo(0L);
        assertThat(commit(TWO, 0)).isEqualTo(1L);
        assertThat(fill(ONE, 0)).as("nothing is being built any more").isEqualTo(-1L);
        assertThat(client.exists(key("upload:one" + HASH))).as("no rubbish").isFalse();
    }

    @Test
    void rankExceedsEarlierRanksEvenIfTheClockGoesBack() {
        begin(ONE, 9_000_000_000_000_000L);
        assertThat(rank()).isEqualTo(9_000_000_000_000_001L);
        commit(ONE, 0);
        assertThat(rank()).as("in force").isEqualTo(9_000_000_000_000_001L);
        assertThat(begin(TWO, rank())).isEqualTo(1);
        commit(TWO, 0);
        assertThat(rank()).isEqualTo(9_000_000_000_000_002L);
    }

    @Test
    void whatHasExpiredRefusesNobody() {
        begin(ONE, 5);
        client.del(key("a"));
        assertThat(begin(TWO, 4)).isEqualTo(1);
    }

    @Test
    void readingAnotherGenerationThanTheOneInForceBringsNothing() {
        begin(ONE, rank());
        commit(ONE, 0);
        assertThat((byte[]) send(calls.read(0, ONE, 0, 64))).hasSize(64);
        assertThat((byte[]) send(calls.read(0, TWO, 0, 64))).isEmpty();
    }

    @Test
    void keyOfAnotherHashIsAddedToNoGeneration() {
        HashIdentity other = HashIdentity.of(KeyHash.standard(), "other");
        FilterCommands others = new FilterCommands(name, other, SharedRedis.parts(client, TimeSource.system()));
        begin(ONE, 5);
        commit(ONE, 0);
        begin(TWO, 6);

        assertThat((byte[]) send(others.add(KEY))).as("the generation in force").isEqualTo(ONE);

        assertThat(client.bitcount(key("a"))).isZero();
        assertThat(client.bitcount(key("b"))).isZero();
        client.del(key("a"), key("b"));
        send(others.add(KEY));
        assertThat(client.hmget(key("state"), "gen", "next"))
                .as("it is none of the other's business that they are lost")
                .doesNotContainNull();
    }
}
