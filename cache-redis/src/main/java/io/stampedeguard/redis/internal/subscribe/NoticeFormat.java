package io.stampedeguard.redis.internal.subscribe;

import io.stampedeguard.internal.spi.LeaseNotifications.Notice;
import io.stampedeguard.internal.spi.LeaseToken;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The format of the lease notifications that the scripts publish. The first byte selects the content:
 *
 * <ul>
 *   <li>{@code E}: the entry that was published, which begins with its token;
 *   <li>{@code T}: only the token of an entry too large for a message;
 *   <li>{@code U}: a result that is not stored, as an entry, which begins with its token;
 *   <li>{@code F}: the token of a load that failed, the cool-down in ms as decimal digits, a line feed, the failure;
 *   <li>{@code R}: nothing; the lease was released, or the key was put, invalidated or expired.
 * </ul>
 */
final class NoticeFormat {
    private static final int HEAD = 1 + LeaseToken.BYTES;
    private static final int MOST_DIGITS = 15;

    private NoticeFormat() {}

    /** Returns the notification in a message, {@code null} if the format is unknown. */
    static @Nullable Notice read(byte[] message) {
        if (message.length == 1 && message[0] == 'R') {
            return new Notice.Freed();
        }
        LeaseToken token = message.length < HEAD ? null : LeaseToken.startOf(from(message, 1));
        if (token == null) {
            return null;
        }
        return switch (message[0]) {
            case 'E' -> new Notice.Published(token, from(message, 1));
            case 'T' -> new Notice.Published(token, null);
            case 'U' -> new Notice.Unstored(token, from(message, 1));
            case 'F' -> failed(token, message);
            default -> null;
        };
    }

    private static @Nullable Notice failed(LeaseToken token, byte[] message) {
        int end = HEAD;
        while (end < message.length && message[end] >= '0' && message[end] <= '9') {
            end++;
        }
        if (end == HEAD || end > HEAD + MOST_DIGITS || end == message.length || message[end] != '\n') {
            return null;
        }
        String digits = new String(message, HEAD, end - HEAD, StandardCharsets.US_ASCII);
        return new Notice.Failed(token, from(message, end + 1), Duration.ofMillis(Long.parseLong(digits)));
    }

    private static byte[] from(byte[] message, int start) {
        return Arrays.copyOfRange(message, start, message.length);
    }
}
