package io.stampedeguard.redis;

import io.stampedeguard.testbed.fleet.Message;

/** The promises with default settings. */
final class FleetPromisesTest extends FleetPromises {
    FleetPromisesTest() {
        super(8);
    }

    @Override
    Message under(Message policy) {
        return policy;
    }
}
