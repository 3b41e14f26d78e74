package io.stampedeguard.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A test that Lincheck instruments, see {@link Schedules}. It runs alone, as this changes classes of the whole JVM; and in a JVM
 * of its own with few other classes: each change halts the JVM for a time that grows with their number, and after 30 s Lincheck
 * takes a schedule for one that hangs.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("schedules")
@Isolated("Lincheck instruments the classes of the whole JVM")
public @interface ExploresSchedules {}
