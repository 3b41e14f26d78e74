package io.stampedeguard.codec;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    @Nullable
    Bean bean;

    private final List<String> missing = new ArrayList<>(0);
    private String message = "";
    private boolean hasOtherNames;

    Findings(boolean comparesNames) {
        this.comparesNames = comparesNames;
    }

    /** The bean that is read at the moment, with the properties that were set, and the parameters that were not there. */
    static final class Bean {
        final Class<?> type;
        final List<String> absent = new ArrayList<>(0);
        long bits;

        Bean(Class<?> type) {
            this.type = type;
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

        /** Returns the names at a place where something else writes the object. */
        Names writtenByOthers() {
            return new Names(known, needed, required, false);
        }
    }

    /** Returns what the read of this thread has found; {@code null} if it is not one of these codecs. */
    static @Nullable Findings current() {
        return CURRENT.get();
    }

    /** Returns the bean that is read, unless properties of the class are read as those of another one, by {@code @JsonUnwrapped}. */
    static @Nullable Bean bean(Class<?> type) {
        Findings found = CURRENT.get();
        Bean bean = found == null ? null : found.bean;
        return bean != null && bean.type == type ? bean : null;
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

    boolean isMissingNothing() {
        return missing.isEmpty();
    }

    void missing(Class<?> type, String name) {
        missing(name, "Missing property '" + name + "' of " + type.getName());
    }

    private void missing(String name, String words) {
        message = missing.isEmpty() ? words : message;
        missing.add(name);
    }

    /** Compares the names in an object with those of its class. */
    void compare(Names names, Set<String> present) {
        hasOtherNames |= names.areAll() && !names.known().containsAll(present);
    }

    /**
     * Returns whether a value cannot be made of an object because something is missing in it, or within.
     *
     * @param words what the mapper says to be missing; {@code null} if it says nothing
     */
    boolean explain(Class<?> type, Names names, Set<String> present, @Nullable String words) {
        int before = missing.size();
        if (words != null) {
            missing("", words);
        }
        names.needed().stream().filter(name -> !present.contains(name)).forEach(name -> missing(type, name));
        hasOtherNames |= missing.size() > before && !names.known().containsAll(present);
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
        Map<String, Integer> places = new HashMap<>();
        count(again, "", 1, places);
        count(stored, "", -1, places);
        return places.values().stream().allMatch(count -> count <= 0);
    }

    /** Counts elements and missing names by their places, with all elements of an array at one, because sets have no order. */
    private void count(@Nullable Object tree, String place, int step, Map<String, Integer> places) {
        if (tree instanceof Map<?, ?> object) {
            object.forEach((name, value) -> {
                String inner = place + "/" + name;
                if (missing.contains(name)) {
                    places.merge(inner, step, Integer::sum);
                }
                count(value, inner, step, places);
            });
        } else if (tree instanceof List<?> array) {
            String inner = place + "[]";
            for (Object each : array) {
                places.merge(inner, step, Integer::sum);
                count(each, inner, step, places);
            }
        }
    }
}
