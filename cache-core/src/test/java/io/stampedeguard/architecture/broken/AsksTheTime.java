package io.stampedeguard.architecture.broken;

import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Date;
import java.util.function.LongSupplier;

/** Reads clocks, a different one in each method. */
public final class AsksTheTime {
    long monotonic() {
        return System.nanoTime();
    }

    long wall() {
        return System.currentTimeMillis();
    }

    LongSupplier byReference() {
        return System::nanoTime;
    }

    Instant instant() {
        return Instant.now();
    }

    LocalDate date() {
        return LocalDate.now();
    }

    Clock clock() {
        return Clock.systemUTC();
    }

    Date oldDate() {
        return new Date();
    }
}
