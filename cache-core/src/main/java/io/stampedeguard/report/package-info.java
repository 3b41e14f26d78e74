/** What a cache tells of single keys when it is asked: which are hot, and what is known of one. */
@NullMarked
package io.stampedeguard.report;

import org.jspecify.annotations.NullMarked;
