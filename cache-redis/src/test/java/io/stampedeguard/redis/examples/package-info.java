/** Codecs of one's own, which docs/guide.md links to. */
@NullMarked
package io.stampedeguard.redis.examples;

import org.jspecify.annotations.NullMarked;
