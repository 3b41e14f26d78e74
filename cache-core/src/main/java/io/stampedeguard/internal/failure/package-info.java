/** What user callbacks throw: what ends a call, causes, messages, how often it is logged. Texts of others. Missing jars. */
@NullMarked
package io.stampedeguard.internal.failure;

import org.jspecify.annotations.NullMarked;
