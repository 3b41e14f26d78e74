package io.stampedeguard.codec;

/** External text, made safe for a log line: one line, bounded, without control characters for terminals. */
final class ShownText {
    private static final int LONGEST = 64;

    private ShownText() {}

    static String of(String text) {
        StringBuilder shown = new StringBuilder("'");
        text.codePoints().limit(LONGEST).forEach(point -> append(shown, point));
        boolean whole = text.codePointCount(0, text.length()) <= LONGEST;
        return shown.append(whole ? "'" : "…' (" + text.length() + " characters)")
                .toString();
    }

    private static void append(StringBuilder shown, int point) {
        if (point == '\'' || point == '\\') {
            shown.append('\\').appendCodePoint(point);
        } else if (isPlain(point)) {
            shown.appendCodePoint(point);
        } else {
            shown.append("\\u{%x}".formatted(point));
        }
    }

    private static boolean isPlain(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
