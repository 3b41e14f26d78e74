package io.stampedeguard.testkit;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The constants of a compiled class (JVMS 4.4), as names.
 *
 * @param strings string literals
 * @param types the names of classes
 */
record ClassConstants(Set<String> strings, Set<String> types) {
    static ClassConstants of(Path home, String className) {
        Path file = home.resolve(className.replace('.', '/') + ".class");
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            return read(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ClassConstants read(DataInputStream in) throws IOException {
        in.readLong(); // magic number and version
        int count = in.readUnsignedShort();
        Map<Integer, String> texts = new HashMap<>();
        Set<Integer> strings = new HashSet<>();
        Set<Integer> types = new HashSet<>();
        for (int at = 1; at < count; at++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1 -> texts.put(at, in.readUTF());
                case 7 -> types.add(in.readUnsignedShort());
                case 8 -> strings.add(in.readUnsignedShort());
                case 16, 19, 20 -> in.readUnsignedShort();
                case 15 -> in.skipNBytes(3);
                case 5, 6 -> {
                    in.readLong();
                    at++; // these take two places
                }
                default -> in.readInt();
            }
        }
        return new ClassConstants(named(strings, texts), named(types, texts));
    }

    private static Set<String> named(Set<Integer> places, Map<Integer, String> texts) {
        Set<String> names = new HashSet<>();
        places.forEach(at -> names.add(texts.get(at).replace('/', '.')));
        return names;
    }
}
