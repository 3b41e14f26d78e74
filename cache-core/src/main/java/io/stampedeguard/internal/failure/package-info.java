/** What user callbacks throw: which of it ends a call, its causes, its message, and how often it is logged. Not exported to users. */
@NullMarked
package io.stampedeguard.internal.failure;

import org.jspecify.annotations.NullMarked;
