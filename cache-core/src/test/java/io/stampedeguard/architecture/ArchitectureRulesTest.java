package io.stampedeguard.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.stampedeguard.architecture.broken.AsksTheTime;
import io.stampedeguard.architecture.broken.KnowsTime;
import io.stampedeguard.architecture.broken.LocksMethods;
import io.stampedeguard.architecture.broken.ReadsObjects;
import io.stampedeguard.architecture.broken.UsesThirdParties;
import io.stampedeguard.architecture.broken.Waits;
import io.stampedeguard.architecture.broken.time.KnowsTheRoot;
import io.stampedeguard.testkit.Packages;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each of the project's rules works: it finds the violation in a small example that violates all of them. */
final class ArchitectureRulesTest {
    private static final String ROOT = KnowsTime.class.getPackageName();
    private static final JavaClasses BROKEN = new ClassFileImporter().importPackages(ROOT);

    private final Architecture rules = new Architecture(ROOT);
    private final Packages packages = new Packages(ROOT, BROKEN);

    @Test
    void arrowsAreSeen() {
        assertThat(packages.arrows()).isEqualTo(Map.of("", Set.of("time"), "time", Set.of("")));
    }

    @Test
    void cycleIsFound() {
        assertFinds(packages.noCycles(), KnowsTime.class.getSimpleName(), KnowsTheRoot.class.getSimpleName());
    }

    @Test
    void packageWithOneTypeTooManyIsFound() {
        assertThat(packages.largerThan(5)).containsExactly("");
        assertThat(packages.largerThan(6)).isEmpty();
    }

    @Test
    void optionalJarElsewhereIsFound() {
        List<ArchRule> found = rules.eachOptionalJarOnlyInItsCodec();
        assertThat(found).hasSize(3);
        assertFinds(found.get(0), membersOf(UsesThirdParties.class, "json2"));
        assertFinds(found.get(1), membersOf(UsesThirdParties.class, "json"));
        assertFinds(found.get(2), membersOf(UsesThirdParties.class, "compression"));
    }

    @Test
    void caffeineElsewhereIsFound() {
        assertFinds(rules.caffeineOnlyWhereMapsAreBounded(), membersOf(UsesThirdParties.class, "near"));
    }

    @Test
    void loggerElsewhereIsFound() {
        assertFinds(rules.slf4jOnlyWhereFaultsAreLogged(), membersOf(UsesThirdParties.class, "logger"));
    }

    @Test
    void otherThirdPartiesAreFound() {
        assertFinds(rules.nothingElseOfThirdParties(), membersOf(UsesThirdParties.class, "test"));
    }

    @Test
    void eachClockAndWaitIsFound() {
        assertFinds(rules.clocksAndWaitsOnlyInTime(), methodsOf(AsksTheTime.class));
        assertFinds(rules.clocksAndWaitsOnlyInTime(), methodsOf(Waits.class));
        assertThat(report(rules.clocksAndWaitsOnlyInTime())).doesNotContain(KnowsTheRoot.class.getName());
    }

    @Test
    void synchronizedMethodIsFound() {
        assertFinds(rules.noSynchronizedMethods(), methodsOf(LocksMethods.class));
    }

    @Test
    void javaSerializationIsFound() {
        assertFinds(rules.noJavaSerialization(), methodsOf(ReadsObjects.class));
        assertFinds(
                rules.noJavaSerialization(),
                "<" + ReadsObjects.class.getName() + "> implements interface <java.io.Serializable>");
    }

    @Test
    void publicNameIsSeenAndAnInnerOneIsNot() {
        assertThat(rules.publicIn("time", BROKEN)).containsExactly("KnowsTheRoot");
    }

    private static void assertFinds(ArchRule rule, String... names) {
        assertThat(names).isNotEmpty();
        assertThat(report(rule)).contains(names);
    }

    private static String report(ArchRule rule) {
        return String.join("\n", rule.evaluate(BROKEN).getFailureReport().getDetails());
    }

    private static String[] methodsOf(Class<?> broken) {
        return Arrays.stream(broken.getDeclaredMethods())
                .filter(method -> !method.isSynthetic())
                .map(method -> broken.getName() + "." + method.getName() + "(")
                .toArray(String[]::new);
    }

    private static String[] membersOf(Class<?> broken, String... names) {
        return Stream.of(names).map(name -> broken.getName() + "." + name).toArray(String[]::new);
    }
}
