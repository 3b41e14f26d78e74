/**
 * Calls of loaders. {@link LoaderInvoker} calls the loader under a permit and cuts it off at the {@code loadTimeout}; {@link Publisher}
 * stores what it returned and completes the flights. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.call;

import org.jspecify.annotations.NullMarked;
