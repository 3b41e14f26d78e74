/** What compares a policy with measurements of loads: an interface here, its implementation in cache-micrometer. Not exported to others. */
@NullMarked
package io.stampedeguard.internal.advice;

import org.jspecify.annotations.NullMarked;
