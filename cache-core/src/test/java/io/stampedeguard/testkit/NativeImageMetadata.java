package io.stampedeguard.testkit;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the classes of a module reach by name, where no analysis of the code sees it, beside the module's reachability metadata for a
 * native image: nothing may be missing there, and nothing may be superfluous. Two sources tell what is reached:
 *
 * <ol>
 *   <li>The bytecode: classes with calls such as {@link Class#forName}, and the constants of these classes, among which the names are.
 *       Each entry states such a class as its {@code reason}.
 *   <li>A run, by {@link TracingClassLoader}: it calls what the test adds, and initializes all classes of the module.
 * </ol>
 */
public final class NativeImageMetadata {
    private static final List<String> MODULES =
            List.of("core", "filter", "micrometer", "redis", "redlock", "spring", "spring-boot-starter", "testkit");

    /** Methods that are given a name, or reflect on a class that they are given. The last two only pass the name on. */
    private static final Pattern BY_NAME = Pattern.compile(String.join(
            "|",
            "java\\.lang\\.Class\\.(forName|newInstance|getResource.*|getRecordComponents|getPermittedSubclasses|getNestMembers)",
            "java\\.lang\\.Class\\.get(Declared)?(Fields?|Methods?|Constructors?|Classes)",
            "java\\.lang\\.(ClassLoader|Module)\\.(loadClass|resources|get(System)?Resource.*)",
            "java\\.lang\\.(System|Runtime)\\.load(Library)?",
            "java\\.lang\\.invoke\\.MethodHandles\\$Lookup\\.(find|unreflect|define).*",
            "java\\.lang\\.reflect\\.(Array|Proxy)\\.new.*",
            "java\\.util\\.(ServiceLoader\\.load.*|ResourceBundle\\.getBundle)",
            "java\\.util\\.concurrent\\.atomic\\..*FieldUpdater\\.newUpdater",
            ".*Object(In|Out)putStream\\.<init>",
            ".*\\.Unsafe\\..*",
            "com\\.github\\.benmanes\\.caffeine\\.cache\\.Caffeine\\.build.*",
            "org\\.springframework\\.beans\\.BeanUtils\\.instantiate.*",
            "org\\.springframework\\.expression\\..*\\.getValue",
            "org\\.springframework\\.util\\.ClassUtils\\.(isPresent|forName|resolveClassName|has.*Method.*|get(Static)?Method.*)",
            "org\\.springframework\\.util\\.ReflectionUtils\\.(find|get|do).*",
            "io\\.stampedeguard\\.internal\\.failure\\.RequiredJar\\.check",
            "io\\.stampedeguard\\.redis\\.internal\\.connect\\.ClientConnections\\.hidden"));

    private static final Pattern OF_TYPES =
            Pattern.compile(".*\\.(forName|loadClass|isPresent|resolveClassName|check)");
    private static final Pattern OF_METHODS = Pattern.compile(".*\\.(getMethod|findVirtual|findStatic)");
    private static final Pattern OF_FIELDS = Pattern.compile(".*\\.(get(Declared)?Field|newUpdater|hidden)");
    private static final Pattern IDENTIFIER = Pattern.compile("[a-z]\\w*");
    private static final Pattern TYPE = Pattern.compile("([a-z]\\w*\\.)+[A-Z]\\w*(\\$\\w+)*");

    private final Path home;
    private final JavaClasses classes;
    private final Set<String> withoutEntry;
    private final TracingClassLoader traced;
    private final Map<String, Set<String>> reaching = new TreeMap<>();
    private final Map<String, ClassConstants> constants = new TreeMap<>();
    private final List<Entry> own;
    private final List<Entry> ofOthers;

    /** An entry: a type with the methods and fields that are reached, or resources, by a pattern. */
    public record Entry(String reason, String target, Set<String> methods, Set<String> fields) {
        /** Returns whether a class or resource is the one that is meant. */
        boolean covers(String name) {
            return name.matches(Pattern.quote(target).replace("*", "\\E[^/]*\\Q"));
        }

        /** Returns the names of the members. */
        Set<String> members() {
            return Stream.concat(methods.stream().map(method -> method.replaceFirst("\\(.*", "")), fields.stream())
                    .collect(Collectors.toSet());
        }

        /** Returns the class; {@code null} if this is a resource, or a class of a newer Java, or of a jar that is not there. */
        @Nullable
        Class<?> type() {
            try {
                return Class.forName(target, false, Entry.class.getClassLoader());
            } catch (ClassNotFoundException | LinkageError absent) {
                return null;
            }
        }
    }

    private NativeImageMetadata(
            String module, Class<?> member, Set<String> withoutEntry, Class<? extends Callable<Set<String>>> run)
            throws Exception {
        this.home = Path.of(
                member.getProtectionDomain().getCodeSource().getLocation().toURI());
        this.classes = ArchConfiguration.withThreadLocalScope(configuration -> {
            configuration.setResolveMissingDependenciesFromClassPath(false); // their names will do
            return new ClassFileImporter().importPath(home);
        });
        this.withoutEntry = withoutEntry;
        this.own = entries(module);
        this.ofOthers = MODULES.stream()
                .filter(each -> !each.equals(module))
                .flatMap(each -> entries(each).stream())
                .toList();
        for (JavaClass each : classes) {
            Set<String> calls = each.getAccessesFromSelf().stream()
                    .map(access -> access.getTargetOwner().getName() + "." + access.getName())
                    .filter(BY_NAME.asMatchPredicate())
                    .collect(Collectors.toCollection(TreeSet::new));
            if (!calls.isEmpty()) {
                reaching.put(each.getName(), calls);
            }
            constants.put(each.getName(), ClassConstants.of(home, each.getName()));
        }
        this.traced = new TracingClassLoader();
        traced.call(run); // first: a class that is known is not asked for
        for (JavaClass each : classes) {
            if (!each.getSimpleName().endsWith("-info")) {
                Class.forName(each.getName(), true, traced);
            }
        }
    }

    /**
     * Reads a module, of which a class is given, and runs it.
     *
     * @param module what the name of the artifact ends with
     * @param withoutEntry the names of classes that have calls by name, and need no entry
     * @param run what is called before all classes of the module are initialized; it is loaded by the loader that notes the names, and
     *     returns further names
     */
    public static NativeImageMetadata of(
            String module, Class<?> member, Set<String> withoutEntry, Class<? extends Callable<Set<String>>> run) {
        try {
            return new NativeImageMetadata(module, member, withoutEntry, run);
        } catch (Exception e) {
            throw new AssertionError("the module '" + module + "' does not run", e);
        }
    }

    /** Returns the entries of a module; none if it has no metadata, or is not there. */
    private static List<Entry> entries(String module) {
        String artifact = "stampede-guard-" + module;
        String file = "META-INF/native-image/io.stampedeguard/" + artifact + "/reachability-metadata.json";
        try (InputStream json = NativeImageMetadata.class.getClassLoader().getResourceAsStream(file)) {
            if (json == null) {
                return List.of();
            }
            JsonNode root = JsonMapper.shared().readTree(json);
            return Stream.concat(entries(root.path("reflection"), "type"), entries(root.path("resources"), "glob"))
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(file, e);
        }
    }

    private static Stream<Entry> entries(JsonNode array, String target) {
        return elements(array)
                .map(each -> new Entry(
                        each.path("reason").asString(),
                        each.path(target).asString(),
                        elements(each.path("methods"))
                                .map(method -> signature(
                                        method.path("name").asString(),
                                        elements(method.path("parameterTypes")).map(JsonNode::asString)))
                                .collect(Collectors.toSet()),
                        elements(each.path("fields"))
                                .map(field -> field.path("name").asString())
                                .collect(Collectors.toSet())));
    }

    private static String signature(String name, Stream<String> parameters) {
        return name + parameters.collect(Collectors.joining(", ", "(", ")"));
    }

    private static Stream<JsonNode> elements(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    /** Returns the entries of the module. */
    public List<Entry> entries() {
        return own;
    }

    /** Returns what is missing in some entries, and what is superfluous, as if they were those of the module. */
    public List<String> differences(List<Entry> entries) {
        List<String> found = new ArrayList<>();
        compareReasons(entries, found);
        List<Entry> known = Stream.concat(entries.stream(), ofOthers.stream()).toList();
        traced.names()
                .filter(name -> known.stream().noneMatch(entry -> entry.covers(name)))
                .forEach(name -> found.add("missing, was asked for: " + name));
        reaching.forEach((reason, calls) -> namedBy(reason, calls)
                .filter(name -> entries.stream().noneMatch(entry -> isIn(entry, reason, name)))
                .forEach(name -> found.add("missing, is named by " + reason + ": " + name)));
        entries.stream()
                .filter(entry -> !isReached(entry))
                .forEach(entry -> found.add("superfluous, is not reached: " + entry));
        return found;
    }

    private void compareReasons(List<Entry> entries, List<String> found) {
        Set<String> reasons = entries.stream()
                .map(Entry::reason)
                .filter(classes::contain) // others may be of a module that this one extends
                .collect(Collectors.toCollection(TreeSet::new));
        Stream.concat(reasons.stream(), withoutEntry.stream())
                .filter(name -> !reaching.containsKey(name))
                .forEach(name -> found.add("superfluous, has no call by name: " + name));
        reaching.forEach((name, calls) -> {
            if (!reasons.contains(name) && !withoutEntry.contains(name)) {
                found.add("missing, is the reason of no entry: " + name + " with " + calls);
            }
        });
    }

    /** Returns the types that a class names, and the members of types, with a dot before them. */
    private Stream<String> namedBy(String reason, Set<String> calls) {
        if (withoutEntry.contains(reason)) {
            return Stream.of();
        }
        ClassConstants of = constants.get(reason);
        boolean areTypes = calls.stream().anyMatch(OF_TYPES.asMatchPredicate());
        boolean areMethods = calls.stream().anyMatch(OF_METHODS.asMatchPredicate());
        Set<String> fields = calls.stream().anyMatch(OF_FIELDS.asMatchPredicate()) ? fields(of.types()) : Set.of();
        return Stream.concat(
                of.strings().stream()
                        .filter(name -> areTypes && TYPE.matcher(name).matches()),
                of.strings().stream()
                        .filter(name -> fields.contains(name)
                                || (areMethods && IDENTIFIER.matcher(name).matches()))
                        .map(name -> "." + name));
    }

    private static Set<String> fields(Set<String> types) {
        return types.stream()
                .map(type -> new Entry("", type, Set.of(), Set.of()).type())
                .filter(Objects::nonNull)
                .flatMap(type -> Stream.of(type.getDeclaredFields()))
                .map(Field::getName)
                .collect(Collectors.toSet());
    }

    private static boolean isIn(Entry entry, String reason, String name) {
        return entry.reason().equals(reason)
                && (name.startsWith(".") ? entry.members().contains(name.substring(1)) : entry.covers(name));
    }

    private boolean isReached(Entry entry) {
        ClassConstants of = constants.get(entry.reason());
        boolean isNamed = of != null
                && (of.strings().contains(entry.target()) || of.types().contains(entry.target()));
        boolean reflects = Stream.of(OF_METHODS, OF_FIELDS)
                .anyMatch(calls ->
                        reaching.getOrDefault(entry.reason(), Set.of()).stream().anyMatch(calls.asMatchPredicate()));
        return (isNamed || traced.names().anyMatch(entry::covers))
                && (!reflects || (of != null && of.strings().containsAll(entry.members())))
                && exists(entry);
    }

    /** Returns whether the members of a type exist, as far as this can be known here. */
    private static boolean exists(Entry entry) {
        Class<?> type = entry.type();
        if (type == null
                || (type.getName().startsWith("java.") && Runtime.version().feature() < 21)) {
            return true;
        }
        Set<String> methods = Stream.<Executable>concat(
                        Stream.of(type.getDeclaredMethods()), Stream.of(type.getDeclaredConstructors()))
                .map(each -> signature(
                        each instanceof Method ? each.getName() : "<init>",
                        Stream.of(each.getParameterTypes()).map(Class::getName)))
                .collect(Collectors.toSet());
        Set<String> fields =
                Stream.of(type.getDeclaredFields()).map(Field::getName).collect(Collectors.toSet());
        return methods.containsAll(entry.methods()) && fields.containsAll(entry.fields());
    }
}
