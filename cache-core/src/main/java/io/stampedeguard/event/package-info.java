/** What the cache tells those who watch it. */
@NullMarked
package io.stampedeguard.event;

import org.jspecify.annotations.NullMarked;
