package io.stampedeguard.demo;

/** A cache of products in front of the origin. <em>Thread-safe.</em> */
interface ProductCache extends AutoCloseable {
    /** Tells the product for a key; throws whatever goes wrong. */
    String get(long key);

    /** Stores a product as if it had just been read. */
    void put(long key, String product);

    /** Ends what runs in the background. */
    @Override
    void close();
}
