/** The processes behind the page: two fleets, their databases, and a Redis, run by the parent. */
@NullMarked
package io.stampedeguard.demo.serve.stage;

import org.jspecify.annotations.NullMarked;
