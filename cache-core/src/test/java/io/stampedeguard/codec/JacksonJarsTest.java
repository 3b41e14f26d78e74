package io.stampedeguard.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.ClassPath;
import io.stampedeguard.testkit.VirtualTime;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The codecs on class paths with other Jackson jars than those of the build, each in its own class loader. */
final class JacksonJarsTest {
    /** The directory in which the build puts the jars of other versions. */
    private static final Path OTHERS = Path.of("target", "jackson");

    private static final String JACKSON_2 = "jackson-(databind|core|datatype-jsr310)-2.*";
    private static final String JACKSON_3 = "jackson-(databind|core)-3.*";
    private static final String ANNOTATIONS = "jackson-annotations-.*";

    /** Encodes and decodes with Jackson 3. */
    public static final class Jackson3 implements Callable<String> {
        @Override
        public String call() {
            JsonCodec<JsonContract.Parcel> codec = JsonCodec.of(JsonContract.Parcel.class);
            return codec.decode(ByteBuffer.wrap(codec.encode(new JsonContract.Parcel("lamp")))) + " by Jackson "
                    + tools.jackson.databind.cfg.PackageVersion.VERSION;
        }
    }

    /** Encodes and decodes with Jackson 2. */
    public static final class Jackson2 implements Callable<String> {
        @Override
        public String call() throws Exception {
            Jackson2Codec<JsonContract.Parcel> codec = Jackson2Codec.of(JsonContract.Parcel.class);
            return codec.decode(ByteBuffer.wrap(codec.encode(new JsonContract.Parcel("lamp")))) + " by Jackson "
                    + com.fasterxml.jackson.databind.cfg.PackageVersion.VERSION;
        }
    }

    /** Encodes properties of all kinds of names with Jackson 2. */
    public static final class OddNames implements Callable<String> {
        @Override
        public String call() throws Exception {
            return new String(Jackson2Codec.of(JsonContract.Odd.class).encode(new JsonContract.Odd()), UTF_8)
                    + new String(
                            Jackson2Codec.of(JsonContract.LikeKotlin.class).encode(new JsonContract.LikeKotlin()),
                            UTF_8);
        }
    }

    /** Creates a codec for a type whose values need no class that may be missing. */
    public static final class OfText implements Callable<ValueCodec<?>> {
        @Override
        public ValueCodec<?> call() {
            return JsonCodec.of(String.class);
        }
    }

    /** Reads, with the modules for Kotlin on the class path, what both codecs have written of a class of Kotlin. */
    public static final class OfKotlin implements Callable<String> {
        @Override
        public String call() throws Exception {
            ValueCodec<KotlinProduct> three = JsonCodec.of(KotlinProduct.class);
            ValueCodec<KotlinProduct> two = Jackson2Codec.of(KotlinProduct.class);
            List<String> found = new ArrayList<>();
            for (ValueCodec<KotlinProduct> codec : List.of(three, two)) {
                byte[] bytes = (codec == three ? two : three).encode(new KotlinProduct(7, "lamp", null, "e"));
                found.add(codec.decode(ByteBuffer.wrap(bytes)).toString());
                found.add(codec.decode(JsonContract.json("{\"id\":8,\"name\":\"\"}"))
                        .toString());
                found.add(versionOf(codec, "{\"id\":9}"));
                found.add(versionOf(codec, "{\"id\":9,\"title\":\"\"}"));
                found.add(loads(codec) + " load");
            }
            found.add(JsonCodec.of(new tools.jackson.core.type.TypeReference<List<KotlinProduct>>() {})
                    .decode(JsonContract.json("[{\"id\":8,\"name\":\"\"}]"))
                    .toString());
            return String.join("\n", found);
        }

        private static String versionOf(ValueCodec<?> codec, String text) throws Exception {
            try {
                return String.valueOf(codec.decode(JsonContract.json(text)));
            } catch (OtherVersionException e) {
                return e.isOlder() ? "older" : "other";
            }
        }

        /** Returns the loads of three seconds. */
        private static int loads(ValueCodec<KotlinProduct> codec) {
            VirtualTime time = new VirtualTime();
            AtomicInteger loads = new AtomicInteger();
            try (StampedeGuardedCache<Long, KotlinProduct> cache = StampedeGuardedCache.<Long, KotlinProduct>builder(
                            "kt")
                    .store(InMemoryStore.create(time))
                    .codec(codec)
                    .timeSource(time)
                    .build()) {
                for (int call = 0; call < 30; call++) {
                    cache.get(7L, id -> new KotlinProduct(loads.incrementAndGet(), "lamp", null, "e"));
                    time.advance(Duration.ofMillis(100));
                }
            }
            return loads.get();
        }
    }

    @Test
    void bothCodecsReadClassesOfKotlinAlike() throws Exception {
        List<Path> path = ClassPath.without();
        path.addAll(others("jackson-module-kotlin-.*"));
        String both = """
                KotlinProduct(id=7, name=lamp, note=null, eTag=e)
                KotlinProduct(id=8, name=, note=null, eTag=none)
                older
                other
                1 load
                """;

        assertThat(ClassPath.call(OfKotlin.class, path))
                .isEqualTo(both + both + "[KotlinProduct(id=8, name=, note=null, eTag=none)]");
    }

    @Test
    void jsonCodecWorksWithoutJackson2() throws Exception {
        assertThat(ClassPath.call(Jackson3.class, ClassPath.without(JACKSON_2)))
                .isEqualTo("Parcel[content=lamp] by Jackson " + tools.jackson.databind.cfg.PackageVersion.VERSION);
        assertThatThrownBy(() -> ClassPath.call(Jackson2.class, ClassPath.without(JACKSON_2)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "Jackson2Codec needs com.fasterxml.jackson.core:jackson-databind, which is not on the class path:"
                                + " add this dependency");
    }

    @Test
    void jackson2CodecWorksWithoutJackson3() throws Exception {
        assertThat(ClassPath.call(Jackson2.class, ClassPath.without(JACKSON_3)))
                .isEqualTo(
                        "Parcel[content=lamp] by Jackson " + com.fasterxml.jackson.databind.cfg.PackageVersion.VERSION);
        for (Class<? extends Callable<?>> code : List.of(Jackson3.class, OfText.class)) {
            assertThatThrownBy(() -> ClassPath.call(code, ClassPath.without(JACKSON_3)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "JsonCodec needs tools.jackson.core:jackson-databind, which is not on the class path: add"
                                    + " this dependency");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "jackson-annotations-.*, com.fasterxml.jackson.core:jackson-annotations",
        "jackson-core-3.*, tools.jackson.core:jackson-core",
        "jackson-databind-3.*, tools.jackson.core:jackson-databind"
    })
    void jsonCodecNamesEachJarThatIsMissing(String jar, String coordinate) {
        for (Class<? extends Callable<?>> code : List.of(Jackson3.class, OfText.class)) {
            assertMissing("JsonCodec", code, jar, coordinate);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "jackson-annotations-.*, com.fasterxml.jackson.core:jackson-annotations",
        "jackson-core-2.*, com.fasterxml.jackson.core:jackson-core",
        "jackson-databind-2.*, com.fasterxml.jackson.core:jackson-databind"
    })
    void jackson2CodecNamesEachJarThatIsMissing(String jar, String coordinate) {
        assertMissing("Jackson2Codec", Jackson2.class, jar, coordinate);
    }

    private static void assertMissing(String codec, Class<? extends Callable<?>> code, String jar, String coordinate) {
        assertThatThrownBy(() -> ClassPath.call(code, ClassPath.without(jar)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(codec + " needs " + coordinate + ", which is not on the class path: add this dependency");
    }

    @Test
    void jsonCodecWorksWithTheOldestJackson3() throws Exception {
        String oldest = System.getProperty("stampede.jackson.oldest");
        List<Path> path = ClassPath.without(JACKSON_2, JACKSON_3, ANNOTATIONS);
        path.addAll(others("jackson-.*-" + oldest + ".jar"));
        path.addAll(
                others("jackson-annotations-" + System.getProperty("stampede.jackson.oldest.annotations") + ".jar"));

        assertThat(ClassPath.call(Jackson3.class, path)).isEqualTo("Parcel[content=lamp] by Jackson " + oldest);
    }

    @Test
    void jackson2CodecWorksWithTheOldestJackson2() throws Exception {
        String oldest = System.getProperty("stampede.jackson2.oldest");
        List<Path> path = ClassPath.without(JACKSON_2, JACKSON_3, ANNOTATIONS);
        path.addAll(others("jackson-.*-" + oldest + ".jar"));

        assertThat(ClassPath.call(Jackson2.class, path)).isEqualTo("Parcel[content=lamp] by Jackson " + oldest);
        assertThat(ClassPath.call(OddNames.class, path)).isEqualTo(new OddNames().call());
    }

    @Test
    void jackson3WithOutdatedAnnotationsIsRefusedAtOnceWithBothVersions() {
        List<Path> path = ClassPath.without(ANNOTATIONS);
        path.addAll(others("jackson-annotations-2.21.jar"));

        assertThatThrownBy(() -> ClassPath.call(OfText.class, path))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("jackson-databind " + tools.jackson.databind.cfg.PackageVersion.VERSION + " ")
                .hasMessageContaining("jackson-annotations 2.21 ")
                .hasMessageContaining("JsonApplyView")
                .hasCauseInstanceOf(NoClassDefFoundError.class);
    }

    @Test
    void jackson2WithOutdatedAnnotationsIsRefusedAtOnceWithBothVersions() {
        String oldest = System.getProperty("stampede.jackson2.oldest");
        List<Path> path = ClassPath.without(ANNOTATIONS);
        path.addAll(others("jackson-annotations-" + oldest + ".jar"));

        assertThatThrownBy(() -> ClassPath.call(Jackson2.class, path))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(
                        "jackson-databind " + com.fasterxml.jackson.databind.cfg.PackageVersion.VERSION + " ")
                .hasMessageContaining("jackson-annotations " + oldest + " ");
    }

    private static List<Path> others(String name) {
        try (Stream<Path> jars = Files.list(OTHERS)) {
            List<Path> found = jars.filter(jar -> jar.getFileName().toString().matches(name))
                    .toList();
            assertThat(found).as(name).isNotEmpty();
            return found;
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
