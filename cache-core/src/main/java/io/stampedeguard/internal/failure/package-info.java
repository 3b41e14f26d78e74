/** What user callbacks throw: which of it ends a call, its causes, and its message. Not exported. */
@NullMarked
package io.stampedeguard.internal.failure;

import org.jspecify.annotations.NullMarked;
