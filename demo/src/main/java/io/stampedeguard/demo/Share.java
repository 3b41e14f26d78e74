package io.stampedeguard.demo;

import io.stampedeguard.demo.origin.Origin;

/**
 * One process' part in a scenario.
 *
 * @param plan what all agree on
 * @param index which process this is, from 0
 * @param products the cache, in the mode of the phase
 * @param origin what is behind it
 */
record Share(Plan plan, int index, ProductCache products, Origin origin) {}
