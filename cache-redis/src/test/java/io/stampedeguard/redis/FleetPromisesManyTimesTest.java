package io.stampedeguard.redis;

import io.stampedeguard.testbed.fleet.Message;
import org.junit.jupiter.api.Tag;

/** The promises as they are used, with what is left to chance repeated more often. */
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
