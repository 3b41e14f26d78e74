package io.stampedeguard.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import redis.clients.jedis.Jedis;

/**
 * The bytes that a release writes to Redis, as a resource has them, and those of today. A line has a step, a Redis key or {@code
 * PUBLISH} and a channel, and the bytes: {@code \n}, {@code \0}, {@code \\}, and {@code \xHH} stand for those that are no printable ASCII, and
 * {@code <millis>}, {@code <micros>}, {@code <uuid>}, and {@code <run>} for what differs from run to run.
 */
public final class WireFormat {
    private static final String SEPARATOR = " | ";
    private static final Pattern ESCAPED = Pattern.compile("\\\\(?:x([0-9a-f]{2})|([n0\\\\]))");

    private final String file;
    private final List<String> recorded;
    private final List<String> written = new ArrayList<>();
    private final TreeMap<String, String> before = new TreeMap<>();

    /** Reads the resource of a test; lines that begin with {@code #} are no part of it. */
    public WireFormat(Class<?> test, String file) {
        this.file = file;
        try (InputStream bytes = Objects.requireNonNull(test.getResourceAsStream(file), file)) {
            recorded = new String(bytes.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Notes which Redis keys of a pattern have changed since the last step. */
    public void noteKeys(String step, Jedis admin, String pattern) {
        TreeMap<String, String> now = new TreeMap<>();
        admin.keys(pattern).forEach(key -> now.put(key, content(admin, key)));
        now.forEach((key, content) -> {
            if (!content.equals(before.get(key))) {
                note(step, key, content);
            }
        });
        before.keySet().stream().filter(key -> !now.containsKey(key)).forEach(key -> note(step, key, "-"));
        before.clear();
        before.putAll(now);
    }

    /** Notes a message. */
    public void noteMessage(String step, String channel, byte[] message) {
        note(step, "PUBLISH " + channel, text(message));
    }

    private void note(String step, String where, String content) {
        String fixed = content.replaceAll("\\b\\d{13}\\b", "<millis>")
                .replaceAll("\\b\\d{16}\\b", "<micros>")
                .replaceAll("\\b[0-9a-f]{40}\\b", "<run>")
                .replaceAll("\\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b", "<uuid>");
        written.add(step + SEPARATOR + where + SEPARATOR + fixed);
    }

    private static String content(Jedis admin, String key) {
        return switch (admin.type(key)) {
            case "string" -> text(admin.get(key.getBytes(UTF_8)));
            case "zset" ->
                admin.zrangeWithScores(key, 0, -1).stream()
                        .map(each -> text(each.getBinaryElement()) + " " + (long) each.getScore())
                        .collect(Collectors.joining(", "));
            case "hash" ->
                new TreeMap<>(admin.hgetAll(key))
                        .entrySet().stream()
                                .map(each -> each.getKey() + "=" + each.getValue())
                                .collect(Collectors.joining(", "));
            default -> throw new AssertionError(key);
        };
    }

    /** Asserts that what was noted is what is recorded; otherwise it is left in {@code target} under the same name. */
    public void assertUnchanged() throws IOException {
        Path found = Path.of("target", file);
        if (!written.equals(recorded)) {
            Files.write(found, written);
        }
        assertThat(written)
                .as(
                        "The wire format has changed, and processes of two versions share a Redis during a deployment:"
                                + " see docs/installation.md, What a version number promises. If each reads what the other"
                                + " writes, replace the lines of the record by those of %s. If not, the change waits for"
                                + " the next second number (from 1.0 on, the first), and needs a line in CHANGELOG.md and"
                                + " a record of its own; what the record of before contains is then a miss",
                        found)
                .isEqualTo(recorded);
    }

    /** Returns what is recorded of a step for a Redis key, or for {@code PUBLISH} and a channel, with the text of variable parts. */
    public String recorded(String step, String where) {
        String start = step + SEPARATOR + where + SEPARATOR;
        return recorded.stream()
                .filter(line -> line.startsWith(start))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing recorded for " + start))
                .substring(start.length());
    }

    private static String text(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte each : bytes) {
            if (each == '\n') {
                text.append("\\n");
            } else if (each == '\\') {
                text.append("\\\\");
            } else if (each == 0) {
                text.append("\\0");
            } else if (each >= ' ' && each <= '~') {
                text.append((char) each);
            } else {
                text.append("\\x%02x".formatted(each));
            }
        }
        return text.toString();
    }

    /** Returns the bytes that a text stands for. */
    public static byte[] bytes(String text) {
        return ESCAPED.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(String.valueOf(
                        found.group(1) != null
                                ? (char) Integer.parseInt(found.group(1), 16)
                                : "\n\0\\".charAt("n0\\".indexOf(found.group(2))))))
                .getBytes(ISO_8859_1);
    }
}
