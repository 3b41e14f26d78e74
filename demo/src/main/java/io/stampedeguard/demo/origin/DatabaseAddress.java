package io.stampedeguard.demo.origin;

import io.stampedeguard.testbed.fleet.Message;

/** The address and the credentials of a database. <em>Immutable.</em> */
public record DatabaseAddress(String url, String user, String password) {
    /** Returns a message with this address, for {@link #of}. */
    public Message in(Message message) {
        return message.with("jdbcUrl", url).with("jdbcUser", user).with("jdbcPassword", password);
    }

    public static DatabaseAddress of(Message message) {
        return new DatabaseAddress(message.text("jdbcUrl"), message.text("jdbcUser"), message.text("jdbcPassword"));
    }

    /** Returns no part of the address: even a URL may contain a password. */
    @Override
    public String toString() {
        return "DatabaseAddress";
    }
}
