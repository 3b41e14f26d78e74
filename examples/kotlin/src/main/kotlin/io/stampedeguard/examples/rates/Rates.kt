package io.stampedeguard.examples.rates

import io.stampedeguard.GuardedCaches
import io.stampedeguard.codec.JsonCodec
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.delay

/** What one unit of a currency is worth, in dollars. */
data class Rate(val currency: String, val dollars: Double)

/** Stands for a slow service with a client that suspends. */
class RateService {
    private val count = AtomicInteger()

    val requests: Int
        get() = count.get()

    suspend fun find(currency: String): Rate? {
        count.incrementAndGet()
        delay(200.milliseconds)
        return RATES[currency]?.let { Rate(currency, it) }
    }

    private companion object {
        val RATES = mapOf("EUR" to 1.17, "GBP" to 1.34, "JPY" to 0.0068)
    }
}

/** Rates that the service is asked for once in all processes, however many coroutines need them. */
class Rates(caches: GuardedCaches, private val service: RateService) {
    private val rates = caches.cache("rates", String::class.java, JsonCodec.of(Rate::class.java)).build()

    /** Returns the rate of a currency, or `null` if the service knows none. */
    suspend fun of(currency: String): Rate? = rates.await(currency, service::find)
}
