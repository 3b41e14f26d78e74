/** Which keys most callers wait for, in bounded memory. */
@NullMarked
package io.stampedeguard.hot;

import org.jspecify.annotations.NullMarked;
