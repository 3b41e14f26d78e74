package io.stampedeguard.internal.failure;

/** External text, made safe for a log line: one line, bounded, without control characters for terminals. */
public final class ShownText {
    private static final int LONGEST = 64;
    private static final int LONGEST_PRINTABLE = 500;

    private ShownText() {}

    /** Returns a text quoted, shortened to 64 characters, and with control characters escaped. */
    public static String of(String text) {
        StringBuilder shown = new StringBuilder("'");
        text.codePoints().limit(LONGEST).forEach(point -> append(shown, point));
        boolean whole = text.codePointCount(0, text.length()) <= LONGEST;
        return shown.append(whole ? "'" : "…' (" + text.length() + " characters)")
                .toString();
    }

    /**
     * Returns a text shortened to 500 characters, and with control characters escaped: the same string if nothing is to be
     * escaped or cut, as is usual; this takes one look at each character.
     */
    public static String printable(String text) {
        if (text.length() <= LONGEST_PRINTABLE && text.codePoints().allMatch(ShownText::isPlain)) {
            return text;
        }
        StringBuilder shown = new StringBuilder();
        text.codePoints().limit(LONGEST_PRINTABLE).forEach(point -> appendPrintable(shown, point));
        boolean whole = text.codePointCount(0, text.length()) <= LONGEST_PRINTABLE;
        return shown.append(whole ? "" : "… (" + text.length() + " characters)").toString();
    }

    private static void append(StringBuilder shown, int point) {
        if (point == '\'' || point == '\\') {
            shown.append('\\').appendCodePoint(point);
        } else {
            appendPrintable(shown, point);
        }
    }

    private static void appendPrintable(StringBuilder shown, int point) {
        if (isPlain(point)) {
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
