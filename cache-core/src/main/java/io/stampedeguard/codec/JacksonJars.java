package io.stampedeguard.codec;

/**
 * Reports jars of Jackson whose versions do not match. The usual case: Jackson 3 shares {@code jackson-annotations} with
 * Jackson 2, and a dependency management for Jackson 2 holds it at an older version.
 */
final class JacksonJars {
    private JacksonJars() {}

    /** Throws an exception that names the jar for a codec if a class of it is missing: the error for such a class names none. */
    static void require(String codec, String type, String coordinate) {
        try {
            Class.forName(type, false, JacksonJars.class.getClassLoader());
        } catch (ClassNotFoundException missing) {
            throw new IllegalStateException(
                    codec + " needs " + coordinate + ", which is not on the class path: add this dependency", missing);
        }
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
