/** Changes by callers: put, invalidate, expire, keyCreated. {@link WritePath} is the entry point. Not exported. */
@NullMarked
package io.stampedeguard.internal.write;

import org.jspecify.annotations.NullMarked;
