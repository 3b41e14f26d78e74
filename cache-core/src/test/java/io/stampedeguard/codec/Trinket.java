package io.stampedeguard.codec;

/** A class that Jackson can decode only with a module, as it is with classes of Kotlin. */
final class Trinket {
    private final String text;

    private Trinket(String text) {
        this.text = text;
    }

    static Trinket of(String text) {
        return new Trinket(text);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Trinket trinket && trinket.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
