package io.stampedeguard.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import java.time.Clock;
import java.util.Calendar;
import java.util.Date;
import java.util.Map;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;

/** Calls of, and references to, methods that read a clock or wait. */
final class TimeAccess {
    private static final Set<Class<?>> CLOCKS = Set.of(Clock.class, Calendar.class, Date.class, Timer.class);

    private static final Map<Class<?>, Set<String>> METHODS = Map.of(
            System.class, Set.of("nanoTime", "currentTimeMillis"),
            Thread.class, Set.of("sleep", "join", "onSpinWait", "yield"),
            Object.class, Set.of("wait"),
            LockSupport.class, Set.of("park", "parkNanos", "parkUntil"),
            CountDownLatch.class, Set.of("await"),
            CyclicBarrier.class, Set.of("await"),
            Condition.class, Set.of("await", "awaitNanos", "awaitUninterruptibly", "awaitUntil"),
            Future.class, Set.of("get", "join"),
            TimeUnit.class, Set.of("sleep", "timedJoin", "timedWait"));

    private TimeAccess() {}

    static DescribedPredicate<JavaAccess<?>> any() {
        return describe("reads a clock or waits", access -> readsAClock(access) || isAWait(access));
    }

    private static boolean readsAClock(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        boolean tellsNow = owner.getPackageName().startsWith("java.time")
                && access.getName().equals("now");
        return tellsNow || CLOCKS.stream().anyMatch(owner::isEquivalentTo);
    }

    private static boolean isAWait(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        return isTimedCall(access)
                || METHODS.entrySet().stream()
                        .anyMatch(methods -> owner.isAssignableTo(methods.getKey())
                                && methods.getValue().contains(access.getName()));
    }

    /** Methods with a number and its unit as parameters wait for that long. A constructor only stores them. */
    private static boolean isTimedCall(JavaAccess<?> access) {
        return access.getTarget() instanceof AccessTarget.CodeUnitAccessTarget target
                && !target.getName().equals("<init>")
                && !target.getOwner().isEquivalentTo(TimeUnit.class)
                && target.getRawParameterTypes().stream().anyMatch(type -> type.isEquivalentTo(TimeUnit.class));
    }
}
