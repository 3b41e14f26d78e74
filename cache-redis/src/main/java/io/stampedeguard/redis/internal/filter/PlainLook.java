package io.stampedeguard.redis.internal.filter;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stampedeguard.filter.bloom.BlockedBloom;
import io.stampedeguard.filter.bloom.BloomShape;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;

/**
 * The lookup of a key by four plain reads in one pipeline, which take Redis a fifth of the time of {@code look.lua}. They are
 * sent over one connection, in this order:
 *
 * <ol>
 *   <li>the key's block in the first bitmap;
 *   <li>the same in the second; one of the two bitmaps is active;
 *   <li>the state: the active generation, its bitmap, and the incarnation of the server on which it was begun;
 *   <li>the role and the incarnation of the server.
 * </ol>
 *
 * <p>Other commands may be executed between the reads. They prove what the active generation has if
 *
 * <ul>
 *   <li>the generation is one that this process has seen active in the partition before. A generation becomes active once, so it
 *       was active from the first read to the third, and meanwhile its bitmap was neither replaced nor cleared;
 *   <li>the server is a master of the incarnation on which the generation was begun. It was so during all reads, because an
 *       incarnation never returns: no read was of a replica, which may lag behind, or of a server that may have forgotten keys;
 *   <li>the block is complete.
 * </ul>
 *
 * <p>Otherwise they prove nothing, nor does a read that is refused. Then {@code look.lua} answers, and finds out why.
 * <em>Immutable</em>, except for the bytes.
 */
record PlainLook(List<byte[]> partition, FilterGeneration generation, long hash) {
    private static final byte[] ACTIVE = "gen".getBytes(US_ASCII);
    private static final byte[] LETTER = "in".getBytes(US_ASCII);
    private static final byte[] INCARNATION = "run".getBytes(US_ASCII);
    private static final byte[] REPLICATION = "replication".getBytes(US_ASCII);

    List<CommandArguments> reads() {
        return List.of(
                block(1),
                block(2),
                new CommandArguments(Protocol.Command.HMGET)
                        .key(partition.get(0))
                        .add(ACTIVE)
                        .add(LETTER)
                        .add(INCARNATION),
                new CommandArguments(Protocol.Command.INFO).add(REPLICATION));
    }

    private CommandArguments block(int bitmap) {
        BloomShape shape = generation.design().shape();
        int from = BlockedBloom.block(hash, shape.blocks()) % shape.blocksPerPartition() * BloomShape.BLOCK_BYTES;
        return new CommandArguments(Protocol.Command.GETRANGE)
                .key(partition.get(bitmap))
                .add(from)
                .add(from + BloomShape.BLOCK_BYTES - 1);
    }

    /** Returns the key's block of the generation; {@code null} if the replies do not prove it. */
    byte @Nullable [] block(List<? extends @Nullable Object> replies) {
        if (!(replies.get(2) instanceof List<?> state) || !(replies.get(3) instanceof byte[] info)) {
            return null;
        }
        boolean isActive = state.get(0) instanceof byte[] active && generation.is(active);
        if (!isActive || !isMaster(new String(info, US_ASCII), text(state.get(2)))) {
            return null;
        }
        boolean isFirst = text(state.get(1)).equals("a");
        return replies.get(isFirst ? 0 : 1) instanceof byte[] block && block.length == BloomShape.BLOCK_BYTES
                ? block
                : null;
    }

    private static boolean isMaster(String info, String incarnation) {
        return info.contains("role:master") && info.contains("\nmaster_replid:" + incarnation + "\r");
    }

    private static String text(@Nullable Object value) {
        return value instanceof byte[] bytes ? new String(bytes, US_ASCII) : "";
    }
}
