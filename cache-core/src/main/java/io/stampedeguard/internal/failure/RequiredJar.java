package io.stampedeguard.internal.failure;

/** The check that a jar is on the class path: the error for a class that is missing names neither the jar nor its use. */
public final class RequiredJar {
    private RequiredJar() {}

    /**
     * Throws an {@link IllegalStateException} that names what is missing and for what, if a class that {@code user} links to is not
     * found; {@code type} is the name of a class of the jar.
     */
    public static void check(Class<?> user, String use, String type, String coordinate) {
        try {
            Class.forName(type, false, user.getClassLoader());
        } catch (ClassNotFoundException missing) {
            throw new IllegalStateException(
                    use + " needs " + coordinate + ", which is not on the class path: add this dependency", missing);
        } catch (LinkageError ofAnotherJar) {
            // This jar is there, and one that it needs is missing, or does not match.
        }
    }
}
