package io.stampedeguard.codec;

import io.stampedeguard.internal.failure.RequiredJar;

/**
 * Reports jars of Jackson that are missing, or whose versions do not match. The usual case of the latter: Jackson 3 shares {@code
 * jackson-annotations} with Jackson 2, and a dependency management for Jackson 2 holds it at an older version.
 */
final class JacksonJars {
    private static final String ANNOTATIONS = "com.fasterxml.jackson.core:jackson-annotations";

    private JacksonJars() {}

    /** Throws an exception that names the jar if a jar of Jackson 3 is missing: the error for a missing class names none. */
    static void requireJackson3() {
        require("JsonCodec", "tools.jackson.databind.json.JsonMapper", "tools.jackson.core:jackson-databind");
        require("JsonCodec", "tools.jackson.core.JsonParser", "tools.jackson.core:jackson-core");
        require("JsonCodec", "com.fasterxml.jackson.annotation.JsonProperty", ANNOTATIONS);
    }

    /** Throws an exception that names the jar if a jar of Jackson 2 is missing. */
    static void requireJackson2() {
        require(
                "Jackson2Codec",
                "com.fasterxml.jackson.databind.ObjectMapper",
                "com.fasterxml.jackson.core:jackson-databind");
        require("Jackson2Codec", "com.fasterxml.jackson.core.JsonParser", "com.fasterxml.jackson.core:jackson-core");
        require("Jackson2Codec", "com.fasterxml.jackson.annotation.JsonProperty", ANNOTATIONS);
    }

    private static void require(String codec, String type, String coordinate) {
        RequiredJar.check(JacksonJars.class, codec, type, coordinate);
    }

    /** Returns an exception that names the versions of Jackson's jars, each given by a class; the cause is what was not found. */
    static IllegalStateException mismatch(LinkageError cause, Class<?> databind, Class<?> core, Class<?> annotations) {
        return new IllegalStateException(
                "jackson-databind %s does not work with jackson-core %s and jackson-annotations %s (%s): use the versions of one jackson-bom"
                        .formatted(version(databind), version(core), version(annotations), cause.getMessage()),
                cause);
    }

    /** On the class path the version is in the jar's manifest, on the module path in the module's descriptor. */
    private static String version(Class<?> of) {
        String version = of.getPackage().getImplementationVersion();
        if (version == null && of.getModule().isNamed()) {
            version = of.getModule().getDescriptor().rawVersion().orElse(null);
        }
        return version == null ? "of unknown version" : version;
    }
}
