package io.stampedeguard.demo.origin;

/** The address and the credentials of a database. <em>Immutable.</em> */
public record DatabaseAddress(String url, String user, String password) {

    /** Returns no part of the address: even a URL may contain a password. */
    @Override
    public String toString() {
        return "DatabaseAddress";
    }
}
