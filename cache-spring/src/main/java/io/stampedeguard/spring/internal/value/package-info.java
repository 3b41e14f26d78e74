/** Values with the types that methods declare: their codec, and their copies. Not exported. */
@NullMarked
package io.stampedeguard.spring.internal.value;

import org.jspecify.annotations.NullMarked;
