package io.stampedeguard.redis;

import io.stampedeguard.testbed.fleet.Message;

/** The promises without pub/sub: waiting processes poll. */
final class FleetPromisesByPollingTest extends FleetPromises {
    FleetPromisesByPollingTest() {
        super(8);
    }

    @Override
    Message under(Message policy) {
        return policy.with("polls", true);
    }
}
