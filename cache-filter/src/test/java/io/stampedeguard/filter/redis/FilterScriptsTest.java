package io.stampedeguard.filter.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.filter.redis.FilterCommands.FilterAnswer;
import io.stampedeguard.filter.redis.FilterGeneration.FilterDesign;
import io.stampedeguard.redis.SharedRedis;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.List;
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

    private long begin(byte[] id, String rank) {
        return (Long) ((List<?>) send(calls.begin(0, id, DESIGN, TTL, rank))).get(0);
    }

    private Object fill(byte[] id, int offset) {
        return send(calls.fill(0, id, TTL, offset, BITS));
    }

    private Object renew(byte[] id) {
        return send(calls.renew(0, id, TTL));
    }

    private Object commit(byte[] id, long bitsSet) {
        return send(calls.commit(0, id, bitsSet));
    }

    @Test
    void generationComesIntoForceOnceAndForEver() {
        assertThat(begin(ONE, "")).isEqualTo(1);
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
    void rebuildIsKeptAliveWhereItIsInForceAlreadyButNotWhereAnotherOneIs() {
        begin(ONE, "5");
        commit(ONE, 0);
        assertThat(renew(ONE)).isEqualTo(1L);
        assertThat(fill(ONE, 0)).as("sent again, late").isEqualTo(1L);
        assertThat(client.exists(key("upload:one" + HASH))).as("no rubbish").isFalse();
        assertThat(client.pttl(key("a"))).as("for ever").isEqualTo(-1);

        begin(TWO, "6");
        assertThat(renew(ONE)).as("still in force").isEqualTo(1L);
        commit(TWO, 0);
        assertThat(renew(ONE)).isEqualTo(-1L);
    }

    @Test
    void beginningSentTwiceKeepsWhatWasAddedBetween() {
        List<?> first = (List<?>) send(calls.begin(0, ONE, DESIGN, TTL, ""));
        send(calls.add(KEY));
        List<?> late = (List<?>) send(calls.begin(0, ONE, DESIGN, TTL, ""));

        assertThat((byte[]) late.get(1)).as("the rank").isEqualTo((byte[]) first.get(1));
        assertThat(begin(ONE, new String((byte[]) first.get(1), US_ASCII))).isEqualTo(1);
        assertThat(commit(ONE, 0)).isEqualTo(1L);
        assertThat(FilterAnswer.of(send(calls.look(KEY))).mightContain(KEY)).isTrue();
    }

    @Test
    void beginningSentTwiceDoesNotMakeAnewWhatWasLostBetween() {
        begin(ONE, "5");
        send(calls.add(KEY));
        client.del(key("a"));

        assertThat(begin(ONE, "5")).isEqualTo(1);
        assertThat(fill(ONE, 0)).isEqualTo(-1L);
        assertThat(commit(ONE, 0)).isEqualTo(-1L);
    }

    @Test
    void beginningSentTwiceLeavesWhatIsInForceByNow() {
        begin(ONE, "5");
        send(calls.add(KEY));
        commit(ONE, 0);

        assertThat(begin(ONE, "5")).isEqualTo(1);
        assertThat(client.hexists(key("state"), "next")).isFalse();
        assertThat(client.exists(key("b"))).isFalse();
        assertThat(FilterAnswer.of(send(calls.look(KEY))).mightContain(KEY)).isTrue();
    }

    @Test
    void uploadOfWhichAChunkWasLostIsRefused() {
        begin(ONE, "");
        fill(ONE, 0);
        client.del(key("upload:one" + HASH));
        fill(ONE, 64);

        assertThat(commit(ONE, 6)).isEqualTo(-1L);
        assertThat(client.hexists(key("state"), "gen")).isFalse();
    }

    @Test
    void uploadThatWasLostWhollyIsRefusedUnlessItHadNoBits() {
        begin(ONE, "");
        assertThat(commit(ONE, 3)).isEqualTo(-1L);
        assertThat(commit(ONE, 0)).isEqualTo(1L);
        assertThat(client.strlen(key("a"))).isEqualTo(DESIGN.shape().bytes() / 32);
    }

    @Test
    void ofTwoRebuildsTheLowerRankIsRefusedWhicheverComesFirst() {
        begin(ONE, "5");
        assertThat(begin(TWO, "4")).isZero();
        assertThat(begin(TWO, "6")).isEqualTo(1);
        assertThat(fill(ONE, 0)).isEqualTo(0L);
        assertThat(commit(ONE, 0)).isEqualTo(0L);
        assertThat(commit(TWO, 0)).isEqualTo(1L);
        assertThat(fill(ONE, 0)).as("nothing is being built any more").isEqualTo(-1L);
        assertThat(client.exists(key("upload:one" + HASH))).as("no rubbish").isFalse();
    }

    @Test
    void rankIsHigherThanThatOfWhatIsBeingBuiltThoughTheClockWentBack() {
        begin(ONE, "9000000000000000");
        List<?> answer = (List<?>) send(calls.begin(0, TWO, DESIGN, TTL, ""));
        assertThat(new String((byte[]) answer.get(1), US_ASCII)).isEqualTo("9000000000000001");
    }

    @Test
    void whatHasExpiredRefusesNobody() {
        begin(ONE, "5");
        client.del(key("a"));
        assertThat(begin(TWO, "4")).isEqualTo(1);
    }

    @Test
    void readingAnotherGenerationThanTheOneInForceBringsNothing() {
        begin(ONE, "");
        commit(ONE, 0);
        assertThat((byte[]) send(calls.read(0, ONE, 0, 64))).hasSize(64);
        assertThat((byte[]) send(calls.read(0, TWO, 0, 64))).isEmpty();
    }

    @Test
    void keyOfAnotherHashIsAddedToNoGeneration() {
        HashIdentity other = HashIdentity.of(KeyHash.standard(), "other");
        FilterCommands others = new FilterCommands(name, other, SharedRedis.parts(client, TimeSource.system()));
        begin(ONE, "5");
        commit(ONE, 0);
        begin(TWO, "6");

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
