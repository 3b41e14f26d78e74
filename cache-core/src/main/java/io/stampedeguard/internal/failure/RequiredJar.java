package io.stampedeguard.internal.failure;

/** The check that an optional dependency is there, before a class of it is used: the error for such a class names no jar. */
public final class RequiredJar {
    private RequiredJar() {}

    /** Throws an {@link IllegalStateException} that names the jar if a class of it is missing. */
    public static void check(String user, String type, String coordinate) {
        try {
            Class.forName(type, false, RequiredJar.class.getClassLoader());
        } catch (ClassNotFoundException missing) {
            throw new IllegalStateException(
                    user + " needs " + coordinate + ", which is not on the class path: add this dependency", missing);
        }
    }
}
