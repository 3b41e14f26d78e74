package io.stampedeguard.redis;

import io.stampedeguard.testbed.fleet.Message;
import org.junit.jupiter.api.Tag;

/** The promises with default settings, with more repetitions of what depends on chance. */
@Tag("proof")
final class FleetPromisesManyTimesTest extends FleetPromises {
    FleetPromisesManyTimesTest() {
        super(40);
    }

    @Override
    Message under(Message policy) {
        return policy;
    }
}
