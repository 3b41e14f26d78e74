package io.stampedeguard.codec;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What one read of JSON finds besides the value: the properties that are missing, and, if the read compares names, whether there
 * are others. The same for both codecs, so it names no class of theirs. Confined to one thread.
 */
final class Findings {
    private static final ThreadLocal<@Nullable Findings> CURRENT = new ThreadLocal<>();

    /** Whether the read compares names, and continues without the values that cannot be made because something is missing. */
    final boolean comparesNames;

    boolean hasUnknownType;

    private final CheckedReader<?, ?> reader;
    private @Nullable Bean bean;
    private final List<String> missing = new ArrayList<>(0);
    private String message = "";
    private boolean hasOtherNames;

    Findings(CheckedReader<?, ?> reader, boolean comparesNames) {
        this.reader = reader;
        this.comparesNames = comparesNames;
    }

    /** A bean that is read, with the properties that were set, the parameters that were not there, and the bean that contains it. */
    private static final class Bean {
        final Class<?> type;
        final @Nullable Bean outer;
        final List<String> absent = new ArrayList<>(0);
        long bits;

        Bean(Class<?> type, @Nullable Bean outer) {
            this.type = type;
            this.outer = outer;
        }
    }

    /**
     * The names in the JSON of a class.
     *
     * @param known those that it reads or writes
     * @param needed those without which there may be no value
     * @param required those without which a value is of another version
     * @param areAll whether the class writes no others than those known, as far as can be found out
     */
    record Names(Set<String> known, Set<String> needed, Set<String> required, boolean areAll) {
        static final Names NONE = new Names(Set.of(), Set.of(), Set.of(), false);

        /**
         * Returns the names of a class, from the properties that the mapper writes, and whether it does so whatever their values are;
         * further names that it reads; and its properties, and whether they are optional; {@code null} if something else finds those
         * that are missing.
         */
        static Names of(Map<String, Boolean> written, Set<String> read, @Nullable Map<String, Boolean> areOptional) {
            Set<String> known = new HashSet<>(read);
            known.addAll(written.keySet());
            Set<String> needed = new HashSet<>();
            if (areOptional != null) {
                needed.addAll(
                        written.isEmpty()
                                ? areOptional.keySet()
                                : written.keySet()); // empty: by a serializer of its own
                needed.removeIf(name -> areOptional.getOrDefault(name, false));
            }
            Set<String> required = new HashSet<>(needed);
            required.removeIf(name -> !written.getOrDefault(name, false));
            return new Names(known, needed, required, !written.isEmpty());
        }
    }

    /** What is checked of the beans of a class at one path. Immutable, once its properties are tracked. */
    static final class Check {
        private final Class<?> type;
        private final Names names;
        private final Predicate<String> isWritten;
        private final Map<String, Long> tracked = new LinkedHashMap<>();
        private long all;

        Check(Class<?> type, Names names, Predicate<String> isWritten) {
            this.type = type;
            this.names = names;
            this.isWritten = isWritten;
        }

        /** Creates the same check, for a deserializer whose properties are to be tracked. */
        Check(Check other) {
            this(other.type, other.names, other.isWritten);
        }

        /** Returns the check at a path where something else writes the bean, or some properties are not written. */
        Check at(boolean isWrittenByOthers, Set<String> ignored, @Nullable Set<String> included) {
            return ignored.isEmpty() && included == null && !isWrittenByOthers
                    ? this
                    : new Check(
                            type,
                            isWrittenByOthers ? new Names(names.known, names.needed, names.required, false) : names,
                            name -> !ignored.contains(name) && (included == null || included.contains(name)));
        }

        /** Expects a property to be set, unless it is not written at this path. */
        void track(String name, long bit) {
            if (isWritten.test(name)) {
                tracked.put(name, bit);
                all |= bit;
            }
        }
    }

    /** Returns what the read of this thread has found; {@code null} if it is not one of these codecs. */
    static @Nullable Findings current() {
        return CURRENT.get();
    }

    /** Makes findings those of this thread; returns what to restore. */
    static @Nullable Findings replace(@Nullable Findings by) {
        Findings outer = CURRENT.get();
        if (by == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(by);
        }
        return outer;
    }

    /** Notes that a property is set. */
    static void noteSet(Class<?> type, long bit) {
        Bean bean = bean(type);
        if (bean != null) {
            bean.bits |= bit;
        }
    }

    /** Notes that a parameter is not there. */
    static void noteAbsent(Class<?> type, String name) {
        Bean bean = bean(type);
        if (bean != null) {
            bean.absent.add(name);
        }
    }

    /** Returns the bean that is read, unless properties of the class are read as those of another one, by {@code @JsonUnwrapped}. */
    private static @Nullable Bean bean(Class<?> type) {
        Findings found = CURRENT.get();
        Bean bean = found == null ? null : found.bean;
        return bean != null && bean.type == type ? bean : null;
    }

    void beginBean(Check check) {
        bean = new Bean(check.type, bean);
    }

    /** Ends a bean, of which a value was read, or not; notes what it lacks in the former case. */
    void endBean(Check check, boolean isRead) {
        Bean ended = requireNonNull(bean);
        bean = ended.outer;
        if (!isRead) {
            return;
        }
        if ((check.all & ~ended.bits) != 0) {
            check.tracked.forEach((name, bit) -> {
                if ((bit & ~ended.bits) != 0) {
                    ended.absent.add(name);
                }
            });
        }
        for (String name : ended.absent) {
            if (check.isWritten.test(name)) {
                missing(check, name);
            }
        }
    }

    boolean isMissingNothing() {
        return missing.isEmpty();
    }

    private void missing(Check check, String name) {
        missing(name, "Missing property '" + name + "' of " + check.type.getName());
    }

    private void missing(String name, String words) {
        message = missing.isEmpty() ? words : message;
        missing.add(name);
    }

    /** Compares the names in an object with those of its class. */
    void compare(Check check, Set<String> present) {
        hasOtherNames |= check.names.areAll() && !check.names.known().containsAll(present);
    }

    /** Notes what is missing in an object of which no value can be made; returns false if nothing is, in it or within. */
    boolean explain(Exception e, Check check, Set<String> present) {
        String words = reader.missing(e);
        if (words == null && reader.isMismatch(e)) {
            return false;
        }
        int before = missing.size();
        if (words != null) {
            missing("", words);
        }
        check.names.needed().stream().filter(name -> !present.contains(name)).forEach(name -> missing(check, name));
        hasOtherNames |= missing.size() > before && !check.names.known().containsAll(present);
        return !missing.isEmpty();
    }

    /** Notes that something that is there cannot be read. */
    void noteOther() {
        hasOtherNames = true;
    }

    OtherVersionException otherVersion() {
        return new OtherVersionException(message, !hasOtherNames);
    }

    /** Returns whether the mapper does not write for the value either what the stored tree lacks, such as because of a filter. */
    boolean areOmitted(Object stored, Object again) {
        Map<String, Integer> counts = new HashMap<>();
        count(again, "", 1, counts);
        count(stored, "", -1, counts);
        return counts.values().stream().allMatch(count -> count <= 0);
    }

    /** Counts elements and missing names by their paths, with all elements of an array at one, because sets have no order. */
    private void count(@Nullable Object tree, String path, int step, Map<String, Integer> counts) {
        if (tree instanceof Map<?, ?> object) {
            object.forEach((name, value) -> {
                String inner = path + "/" + name;
                if (missing.contains(name)) {
                    counts.merge(inner, step, Integer::sum);
                }
                count(value, inner, step, counts);
            });
        } else if (tree instanceof List<?> array) {
            String inner = path + "[]";
            for (Object each : array) {
                counts.merge(inner, step, Integer::sum);
                count(each, inner, step, counts);
            }
        }
    }
}
