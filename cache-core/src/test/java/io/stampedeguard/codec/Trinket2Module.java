package io.stampedeguard.codec;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;

/** A module of Jackson 2 for {@link Trinket}, which Jackson finds on the class path of the tests. */
public final class Trinket2Module extends SimpleModule {
    private static final long serialVersionUID = 1;

    public Trinket2Module() {
        super("trinkets");
        addSerializer(Trinket.class, ToStringSerializer.instance);
        addDeserializer(Trinket.class, new TrinketDeserializer());
    }

    private static final class TrinketDeserializer extends StdDeserializer<Trinket> {
        private static final long serialVersionUID = 1;

        TrinketDeserializer() {
            super(Trinket.class);
        }

        @Override
        public Trinket deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return Trinket.of(parser.getText());
        }
    }
}
