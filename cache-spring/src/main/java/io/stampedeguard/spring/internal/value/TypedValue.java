package io.stampedeguard.spring.internal.value;

/**
 * A value with the type that a method declares for it.
 *
 * @param type the declared type
 * @param value the value, an instance of it
 */
public record TypedValue(DeclaredValue type, Object value) {
    /** Returns whether a method that declares a type may return this value, which another method may have stored. */
    public boolean isOf(DeclaredValue expected) {
        return type == expected || expected.accepts(value);
    }
}
