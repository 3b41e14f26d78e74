package io.stampedeguard.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The packages below a root: which depends on which, and how large each is. The root has the empty name. */
public final class Packages {
    private final JavaClasses classes;
    private final String root;

    public Packages(String root, JavaClasses classes) {
        this.root = root;
        this.classes = classes;
    }

    /**
     * Reads the classes of a module, without those of its tests. Of the classes of others only the names are known: to read them
     * as well, and those that they depend on, takes most of the time.
     */
    public static Packages of(String root) {
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
        return new Packages(
                root,
                new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages(root));
    }

    public JavaClasses classes() {
        return classes;
    }

    /** Returns for each package the other packages that it depends on. */
    public Map<String, Set<String>> arrows() {
        Map<String, Set<String>> arrows = new TreeMap<>();
        for (JavaClass one : classes) {
            Set<String> known = arrows.computeIfAbsent(place(one), name -> new TreeSet<>());
            one.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                    .filter(this::isOurs)
                    .map(this::place)
                    .filter(name -> !name.equals(place(one)))
                    .forEach(known::add);
        }
        return arrows;
    }

    /** Returns the longest chain of packages each of which depends on the next one: none is on a circle. */
    public List<String> longestChain() {
        Map<String, Set<String>> arrows = arrows();
        Map<String, List<String>> chains = new HashMap<>();
        return arrows.keySet().stream()
                .map(each -> chainFrom(each, arrows, chains))
                .max(Comparator.comparingInt(List::size))
                .orElse(List.of());
    }

    private static List<String> chainFrom(
            String name, Map<String, Set<String>> arrows, Map<String, List<String>> chains) {
        List<String> known = chains.get(name);
        if (known == null) {
            List<String> chain = new ArrayList<>(arrows.getOrDefault(name, Set.of()).stream()
                    .map(next -> chainFrom(next, arrows, chains))
                    .max(Comparator.comparingInt(List::size))
                    .orElse(List.of()));
            chain.add(0, name);
            known = chain;
            chains.put(name, known);
        }
        return known;
    }

    public void checkNoCycles() {
        noCycles().check(classes);
    }

    public ArchRule noCycles() {
        return slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
                        return isOurs(javaClass) ? SliceIdentifier.of(place(javaClass)) : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "the packages";
                    }
                })
                .should()
                .beFreeOfCycles();
    }

    /** Checks that all time comes from the core: nobody else reads a clock, or sleeps. */
    public void checkNoClocks() {
        noClasses()
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .check(classes);
    }

    /** Returns the number of top-level types of each package. */
    public Map<String, Integer> sizes() {
        Map<String, Integer> sizes = new TreeMap<>();
        for (JavaClass one : classes) {
            if (one.isTopLevelClass() && !one.getSimpleName().equals("package-info")) {
                sizes.merge(place(one), 1, Integer::sum);
            }
        }
        return sizes;
    }

    /** Returns the packages with more top-level types than a number. */
    public Set<String> largerThan(int most) {
        Map<String, Integer> sizes = sizes();
        sizes.values().removeIf(size -> size <= most);
        return sizes.keySet();
    }

    private boolean isOurs(JavaClass one) {
        return (one.getPackageName() + '.').startsWith(root + '.');
    }

    /** Returns the name of the package of a class below the root. */
    private String place(JavaClass one) {
        return one.getPackageName().equals(root) ? "" : one.getPackageName().substring(root.length() + 1);
    }
}
