package io.stampedeguard.spring.boot;

import java.io.Serial;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/** Thrown if the caches cannot be configured as the properties ask. The message names property and value, the remedy what to do. */
final class StampedeConfigurationException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private static final Pattern OPTION = Pattern.compile("(commandTimeout|maxConnections|clientName|keyPrefix) .*");

    private static final Pattern CONFLICT =
            Pattern.compile("the options have (credentials|sslContext), but the URI (.*)");

    private final String remedy;

    StampedeConfigurationException(String message, String remedy, @Nullable Throwable cause) {
        super(message, cause);
        this.remedy = remedy;
    }

    /** Creates the exception of one of the library. A message that begins with a property has the remedy as its further sentences. */
    static StampedeConfigurationException of(RuntimeException cause, String usualRemedy) {
        String message = String.valueOf(cause.getMessage());
        int end = message.startsWith("stampede.") ? message.indexOf(". ") : -1;
        return end < 0
                ? new StampedeConfigurationException(sentence(message), usualRemedy, cause)
                : new StampedeConfigurationException(
                        sentence(message.substring(0, end)), message.substring(end + 2), cause);
    }

    /** Returns a message as a sentence, in which an option of the store has the name of its property. */
    private static String sentence(String message) {
        Matcher conflict = CONFLICT.matcher(message);
        if (conflict.matches()) {
            return "stampede.redis." + (conflict.group(1).equals("credentials") ? "password" : "ssl-bundle")
                    + " is set, but stampede.redis.url " + conflict.group(2) + ".";
        }
        Matcher option = OPTION.matcher(message);
        String named = option.matches()
                ? (option.group(1).equals("keyPrefix") ? "stampede." : "stampede.redis.")
                        + DataObjectPropertyName.toDashedForm(option.group(1))
                        + message.substring(option.end(1))
                : message.startsWith("stampede.")
                        ? message
                        : Character.toUpperCase(message.charAt(0)) + message.substring(1);
        return named.endsWith(".") ? named : named + ".";
    }

    String remedy() {
        return remedy;
    }
}
