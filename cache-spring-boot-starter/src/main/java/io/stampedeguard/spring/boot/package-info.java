/** Spring Boot's auto-configuration of guarded caches: properties, connection, meters, health, and an endpoint. */
@NullMarked
package io.stampedeguard.spring.boot;

import org.jspecify.annotations.NullMarked;
