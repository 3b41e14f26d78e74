package io.stampedeguard.redis;

import io.stampedeguard.testbed.fleet.Message;
import java.time.Duration;

/** The promises on machines whose wall clocks are a quarter of an hour apart, each from the next. */
final class FleetPromisesOnWrongClocksTest extends FleetPromises {
    FleetPromisesOnWrongClocksTest() {
        super(8);
    }

    @Override
    Message under(Message policy) {
        return policy.with("clocksApartMillis", Duration.ofMinutes(15).toMillis());
    }
}
