package io.stampedeguard.demo.origin;

/**
 * The address and the credentials of a database. <em>Immutable.</em>
 *
 * @param url the JDBC URL
 * @param user the user
 * @param password the password
 */
public record DatabaseAddress(String url, String user, String password) {
    /** Returns no part of the address: even a URL may contain a password. */
    @Override
    public String toString() {
        return "DatabaseAddress";
    }
}
