package io.stampedeguard.redis;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.redis.PausedPutTest.Place;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * A process that puts a value when its parent orders it, and reports each {@link Place} that the put comes to. Where the order says
 * so, it stays until the parent sends a message. One order at a time.
 */
final class PutMember implements ValueCodec<String> {
    /** How long a put may take. */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final RedisStoreOptions OPTIONS = SharedRedis.PATIENT.toBuilder()
            .commandTimeout(PATIENCE.dividedBy(2))
            .build();

    private final ValueCodec<String> codec = StringCodec.of();
    private final FleetLink link;
    private volatile String stays = "";

    private PutMember(FleetLink link) {
        this.link = link;
    }

    public static void main(String[] arguments) throws InterruptedException {
        FleetLink link = FleetLink.open();
        new PutMember(link).carryOut(link.receive());
    }

    private void carryOut(Message open) throws InterruptedException {
        try (PutsOnTheirWay client = new PutsOnTheirWay(open.text("redis"), SharedRedis.PATIENCE);
                RedisStore store = RedisStore.using(client, OPTIONS);
                StampedeGuardedCache<String, String> cache = StampedeGuardedCache.<String, String>builder(
                                open.text("cache"))
                        .store(store)
                        .codec(this)
                        .build()) {
            cache.put("warm-up", "any"); // the clock and the script are known
            client.send(put -> {
                pass(Place.SENDING);
                return put.get();
            });
            link.send(Message.of("open"));
            while (true) {
                Message order = link.receive();
                stays = order.fields().getOrDefault("stays", "");
                switch (order.verb()) {
                    case "put" -> cache.put("k", order.text("value"));
                    case "get" -> {
                        String got = cache.get("k", key -> order.text("row"));
                        link.send(Message.of("got").with("value", got));
                    }
                    default -> throw new IllegalArgumentException(order.toString());
                }
                link.send(Message.of("done"));
            }
        }
    }

    private void pass(Place place) {
        link.send(Message.of(place.name()));
        if (stays.equals(place.name())) {
            stays = "";
            try {
                link.receive();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public byte[] encode(String value) throws Exception {
        pass(Place.ENCODING);
        return codec.encode(value);
    }

    @Override
    public String decode(ByteBuffer bytes) throws Exception {
        return codec.decode(bytes);
    }

    @Override
    public CodecIdentity identity() {
        return codec.identity();
    }
}
