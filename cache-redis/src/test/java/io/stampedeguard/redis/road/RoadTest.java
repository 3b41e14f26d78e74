package io.stampedeguard.redis.road;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.SharedRedis;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How long the road of a call is: the files of internal packages and the methods of the library that its thread enters, on a real
 * server. A change that shortens a road lowers its limit, and one that lengthens it says why. The shortest of a few roads counts: a
 * busy machine lengthens some.
 *
 * <p>The generation of a cache (ADR 0064), which is read with each entry and checked by each script, has lengthened a cold miss by
 * 22 methods, one of three keys by 70, and a put by a file and 3 methods. What is known of it is sent along with a put and a request
 * by a script: that is about 12 for a cold miss, 30 for three keys, and 8 for a put.
 * Whether a value has tags (ADR 0065) is asked by each publication and put: 15 for a cold miss, 40 for three keys, and 5 for a put.
 * That a publication may be left to a task (ADR 0071) adds two files and about 15 methods to a cold miss, and one file to one of three.
 * A written entry is no longer wrapped, and a change is queued as what it is: 13 less, 20 less, and 7 less.
 */
@Tag("proof")
class RoadTest {
    private static Map<String, Road> roads;

    @BeforeAll
    static void travel() throws Exception {
        roads = Roads.of(RoadTraveller.class, SharedRedis.uri());
        roads.forEach((call, road) -> System.out.printf("%s: %s%n", call, road.figures()));
    }

    private static void assertAtMost(String call, int files, int entries) {
        assertThat(roads).containsKey(call);
        Road road = roads.get(call);
        assertThat(road.files()).as("files of a %s", call).hasSizeBetween(1, files);
        assertThat(road.entries()).as("methods entered by a %s", call).isBetween(1, entries);
    }

    @Test
    void nearHitIsShort() {
        assertAtMost(RoadTraveller.NEAR_HIT, 6, 17);
    }

    @Test
    void redisHitIsShort() {
        assertAtMost(RoadTraveller.REDIS_HIT, 16, 116);
    }

    @Test
    void coldMissIsShort() {
        assertAtMost(RoadTraveller.COLD_MISS, 38, 631);
        assertThat(roads.get(RoadTraveller.COLD_MISS).loaderDepth())
                .as("own frames from get to its loader")
                .isBetween(1, 14);
    }

    @Test
    void bulkMissIsShort() {
        assertAtMost(RoadTraveller.BULK_MISS, 39, 1_562);
    }

    @Test
    void changesAreShort() {
        assertAtMost(RoadTraveller.PUT, 23, 177);
        assertAtMost(RoadTraveller.INVALIDATE, 17, 86);
    }
}
