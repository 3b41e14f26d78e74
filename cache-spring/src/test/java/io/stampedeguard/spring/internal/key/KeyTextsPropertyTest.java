package io.stampedeguard.spring.internal.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.cache.interceptor.SimpleKey;

/** Different keys never have the same text, and equal keys always have. */
final class KeyTextsPropertyTest {
    private static final int KEYS = 40_000;
    private static final String LETTERS = "ab[],=\\\"nul1:";

    record Pair(@Nullable Object one, @Nullable Object other) {}

    record Twin(@Nullable Object one, @Nullable Object other) {}

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);

    @Test
    void differentUntypedKeysHaveDifferentTexts() {
        requireOneTextPerKey(new KeyTexts(List.of(), false), false);
    }

    @Test
    void differentTypedKeysHaveDifferentTexts() {
        requireOneTextPerKey(new KeyTexts(List.of(), true), true);
    }

    private void requireOneTextPerKey(KeyTexts keys, boolean isTyped) {
        Map<String, Object> keyOf = new HashMap<>();
        Map<Object, String> textOf = new HashMap<>();
        for (int i = 0; i < KEYS; i++) {
            Object key = key(isTyped);
            String text = keys.of(key, null);
            Object sameText = keyOf.putIfAbsent(text, key);
            assertThat(sameText == null || sameText.equals(key))
                    .as("seed %d: %s and %s have the text %s", seed, key, sameText, text)
                    .isTrue();
            assertThat(textOf.computeIfAbsent(key, each -> text))
                    .as("seed %d: key %s", seed, key)
                    .isEqualTo(text);
        }
        assertThat(keyOf).as("seed %d", seed).hasSizeGreaterThan(KEYS / 20);
    }

    /** Untyped numbers would have the text of a string, so there are only strings then, and an enum whose names none has. */
    private Object key(boolean isTyped) {
        Object key = part(0, isTyped);
        return key == null ? SimpleKey.EMPTY : key;
    }

    private @Nullable Object part(int depth, boolean isTyped) {
        int kind = random.nextInt(depth > 2 ? 5 : 13);
        return switch (kind) {
            case 0 -> depth == 0 ? "" : null;
            case 1, 2 -> text();
            case 3 -> isTyped ? (Object) random.nextInt(3) : text();
            case 4 -> isTyped ? (Object) (long) random.nextInt(3) : TimeUnit.DAYS;
            case 5, 6 -> new SimpleKey(parts(depth, isTyped).toArray());
            case 7, 8 -> parts(depth, isTyped);
            case 9 -> new HashSet<>(parts(depth, isTyped));
            case 10 -> new Pair(part(depth + 1, isTyped), part(depth + 1, isTyped));
            case 11 -> new Twin(part(depth + 1, isTyped), part(depth + 1, isTyped));
            default -> random.nextBoolean() ? map(depth, isTyped) : Optional.ofNullable(part(depth + 1, isTyped));
        };
    }

    private List<@Nullable Object> parts(int depth, boolean isTyped) {
        List<@Nullable Object> parts = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            parts.add(part(depth + 1, isTyped));
        }
        return parts;
    }

    private Map<Object, Object> map(int depth, boolean isTyped) {
        Map<Object, Object> map = new HashMap<>();
        Set<Object> names = new HashSet<>(parts(depth, isTyped));
        names.forEach(each -> map.put(each, part(depth + 1, isTyped)));
        return map;
    }

    private String text() {
        if (random.nextInt(10) == 0) {
            return List.of("null", "\"\"", "list[", "[]", "set[a]", "\\null", "array[a,b]")
                    .get(random.nextInt(7));
        }
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(4); i > 0; i--) {
            text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return text.toString();
    }
}
