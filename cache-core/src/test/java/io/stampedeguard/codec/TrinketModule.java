package io.stampedeguard.codec;

import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.ToStringSerializer;

/** A module of Jackson 3 for {@link Trinket}, which Jackson finds on the class path of the tests. */
public final class TrinketModule extends SimpleModule {
    private static final long serialVersionUID = 1;

    public TrinketModule() {
        super("trinkets");
        addSerializer(Trinket.class, ToStringSerializer.instance);
        addDeserializer(Trinket.class, new StdDeserializer<Trinket>(Trinket.class) {
            @Override
            public Trinket deserialize(JsonParser parser, DeserializationContext context) {
                return Trinket.of(parser.getString());
            }
        });
    }
}
