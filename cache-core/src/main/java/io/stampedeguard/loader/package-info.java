/** What users implement and catch: loaders, their results, and the exceptions of {@code get}. */
@NullMarked
package io.stampedeguard.loader;

import org.jspecify.annotations.NullMarked;
