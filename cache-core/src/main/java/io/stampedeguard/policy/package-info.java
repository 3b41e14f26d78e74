/** How long entries live and how long callers wait. */
@NullMarked
package io.stampedeguard.policy;

import org.jspecify.annotations.NullMarked;
