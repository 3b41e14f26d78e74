package io.stampedeguard.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import java.io.Externalizable;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.io.Serializable;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The project's rules for the library; {@link io.stampedeguard.testkit.Packages} has those for every module. */
final class Architecture {
    private final String root;

    Architecture(String root) {
        this.root = root;
    }

    /** Each codec works without the optional jars of the others; those for JSON share the annotations. */
    List<ArchRule> eachOptionalJarOnlyInItsCodec() {
        return List.of(
                onlyIn("Jackson2Codec", "com.fasterxml.jackson.core..", "com.fasterxml.jackson.databind.."),
                onlyIn("JsonCodec", "tools.jackson.."),
                onlyIn("CompressedCodec", "net.jpountz.."));
    }

    private ArchRule onlyIn(String codec, String... packages) {
        return noClasses()
                .that(describe("are not of " + codec, one -> !one.getFullName().startsWith(root + ".codec." + codec)))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages);
    }

    ArchRule caffeineOnlyWhereMapsAreBounded() {
        Set<String> bounded = Set.of(root + ".internal.near.NearCache", root + ".internal.lease.LeaseEnds");
        return noClasses()
                .that(describe("bound no map", one -> !bounded.contains(one.getFullName())))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.github.benmanes..");
    }

    ArchRule slf4jOnlyWhereFaultsAreLogged() {
        Set<String> logs = Set.of(
                root + ".internal.failure.CallbackLog",
                root + ".internal.observe.CacheEvents",
                root + ".internal.observe.FaultLog",
                root + ".internal.observe.StoreLog",
                root + ".internal.observe.DuplicateNames",
                root + ".internal.observe.HotKeys",
                root + ".store.Watchers");
        return noClasses()
                .that(describe("do not write the log", one -> !logs.contains(one.getFullName())))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.slf4j..");
    }

    ArchRule nothingElseOfThirdParties() {
        return classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        root + "..",
                        "java..",
                        "org.jspecify.annotations",
                        "org.slf4j",
                        "com.fasterxml.jackson..",
                        "tools.jackson..",
                        "net.jpountz.lz4",
                        "com.github.benmanes.caffeine.."));
    }

    ArchRule clocksAndWaitsOnlyInTime() {
        return noClasses()
                .that()
                .resideOutsideOfPackage(root + ".time")
                .should()
                .accessTargetWhere(TimeAccess.any());
    }

    ArchRule noSynchronizedMethods() {
        return noMethods().should().haveModifier(JavaModifier.SYNCHRONIZED);
    }

    ArchRule noJavaSerialization() {
        return noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ObjectInput.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(ObjectOutput.class)
                .orShould()
                .beAssignableTo(Externalizable.class)
                .orShould()
                .dependOnClassesThat(
                        describe("are Serializable itself", one -> one.isEquivalentTo(Serializable.class)));
    }

    /** Returns the public top-level classes of a package below the root. */
    Set<String> publicIn(String place, JavaClasses all) {
        String name = place.isEmpty() ? root : root + '.' + place;
        return all.stream()
                .filter(one -> one.getPackageName().equals(name) && one.isTopLevelClass())
                .filter(one -> one.getModifiers().contains(JavaModifier.PUBLIC))
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
