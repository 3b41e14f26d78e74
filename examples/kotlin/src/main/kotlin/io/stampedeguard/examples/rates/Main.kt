package io.stampedeguard.examples.rates

import io.stampedeguard.GuardedCaches
import io.stampedeguard.policy.CachePolicy
import io.stampedeguard.redis.RedisStore
import java.time.Duration
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.runBlocking

private const val COROUTINES = 1_000

private val POLICY = CachePolicy.builder()
    .softTtl(Duration.ofMinutes(5)) // then a rate is stale: returned while it is reloaded
    .hardTtl(Duration.ofHours(1)) // then it is gone
    .build()

/** Asks for one rate from many coroutines at once, with the Redis of the given URI, which need not answer. */
fun main(arguments: Array<String>): Unit = runBlocking(Dispatchers.Default) {
    val redis = RedisStore.builder().keyPrefix("exchange:").connect(arguments.firstOrNull() ?: "redis://localhost:6379")
    GuardedCaches.owning(redis) { it.policy(POLICY) }.use { caches ->
        val service = RateService()
        val rates = Rates(caches, service)
        val answers = List(COROUTINES) { async { rates.of("EUR") } }.awaitAll().distinct()
        println("$COROUTINES coroutines asked for EUR and got $answers; requests to the service: ${service.requests}")
    }
}
