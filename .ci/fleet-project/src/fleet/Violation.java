package fleet;

/** What no version may do beside another one. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String message) {
        super(message);
    }

    /** Throws one if it does not hold. */
    static void unless(boolean holds, String message) {
        if (!holds) {
            throw new Violation(message);
        }
    }
}
