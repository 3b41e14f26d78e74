/** What users implement and catch: loaders, their results, and the exceptions of a cache. */
@NullMarked
package io.stampedeguard.loader;

import org.jspecify.annotations.NullMarked;
