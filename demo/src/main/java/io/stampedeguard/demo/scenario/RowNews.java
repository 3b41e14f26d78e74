package io.stampedeguard.demo.scenario;

import java.util.List;
import java.util.OptionalLong;
import redis.clients.jedis.UnifiedJedis;

/**
 * The announcements of new rows, from each process to all others, over a dedicated connection: one list in Redis for each
 * process, on which its reader waits; {@code prefix} begins the names of the lists.
 */
public record RowNews(UnifiedJedis redis, String prefix, int processes) {
    private static final String END = "end";
    private static final int PATIENCE_SECONDS = 60;

    /** Announces a row to all processes except the announcing one. */
    public void tell(int teller, long id) {
        tell(teller, Long.toString(id));
    }

    void tellEnd(int teller) {
        tell(teller, END);
    }

    private void tell(int teller, String text) {
        for (int i = 0; i < processes; i++) {
            if (i != teller) {
                redis.rpush(listOf(i), text);
            }
        }
    }

    /** Waits for the next row; returns empty if there are no more. */
    public OptionalLong next(int reader) {
        List<String> next = redis.blpop(PATIENCE_SECONDS, listOf(reader));
        if (next == null) {
            throw new IllegalStateException("no row was announced for " + PATIENCE_SECONDS + " s");
        }
        String text = next.get(1);
        return text.equals(END) ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
    }

    private String listOf(int reader) {
        return prefix + "rows:" + reader;
    }
}
