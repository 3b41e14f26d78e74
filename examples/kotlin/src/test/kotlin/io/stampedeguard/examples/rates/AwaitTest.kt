package io.stampedeguard.examples.rates

import io.stampedeguard.GuardedCaches
import io.stampedeguard.StampedeGuardedCache
import io.stampedeguard.codec.StringCodec
import io.stampedeguard.loader.LoadException
import io.stampedeguard.loader.LoadTimeoutException
import io.stampedeguard.policy.CachePolicy
import io.stampedeguard.redis.RedisStore
import io.stampedeguard.testbed.RedisServer
import java.io.IOException
import java.time.Duration
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.asContextElement
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance

/** Coroutines on real dispatchers that share the loads of a cache on a real Redis. Each test has keys of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AwaitTest {
    private lateinit var redis: RedisServer
    private lateinit var caches: GuardedCaches
    private lateinit var cache: StampedeGuardedCache<String, String>
    private lateinit var impatient: StampedeGuardedCache<String, String>

    @BeforeAll
    fun start() {
        redis = RedisServer.startProcess()
        caches = GuardedCaches.owning(RedisStore.builder().commandTimeout(Duration.ofSeconds(20)).connect(redis.uri())) { }
        cache = caches.cache("texts", String::class.java, StringCodec.of())
            .policy(CachePolicy.builder().waitTimeout(Duration.ofMinutes(1)).loadTimeout(Duration.ofMinutes(2)).build())
            .build()
        impatient = caches.cache("impatient", String::class.java, StringCodec.of())
            .policy(CachePolicy.builder().loadTimeout(Duration.ofMillis(100)).build())
            .build()
    }

    @AfterAll
    fun stop() {
        caches.close()
        redis.close()
    }

    private fun test(body: suspend CoroutineScope.() -> Unit): Unit = runBlocking(Dispatchers.Default, body)

    private suspend fun thrownBy(body: suspend () -> Unit): Throwable? =
        try {
            body()
            null
        } catch (e: Throwable) {
            e
        }

    @Test
    fun manyCoroutinesOnOneKeyLoadOnce() = test {
        val loads = AtomicInteger()
        val answers = List(1_000) {
            async {
                cache.await("many") { key ->
                    loads.incrementAndGet()
                    "value of $key"
                }
            }
        }
        assertThat(answers.awaitAll()).containsOnly("value of many")
        assertThat(loads).hasValue(1)
    }

    @Test
    fun cancelledLeaderLeavesItsLoadToTheOthers() = test {
        val begun = CompletableDeferred<Unit>()
        val gate = CompletableDeferred<String>()
        val leader = launch {
            cache.await("led") {
                begun.complete(Unit)
                gate.await()
            }
        }
        begun.await()
        val other = async(start = UNDISPATCHED) { cache.await("led") { "of a second load" } }
        leader.cancelAndJoin()
        gate.complete("of the first load")
        assertThat(other.await()).isEqualTo("of the first load")
    }

    @Test
    fun cancelledWaiterLeavesTheLoadToTheLeader() = test {
        val begun = CompletableDeferred<Unit>()
        val gate = CompletableDeferred<String>()
        val leader = async {
            cache.await("awaited") {
                begun.complete(Unit)
                gate.await()
            }
        }
        begun.await()
        val waiter = launch(start = UNDISPATCHED) { cache.await("awaited") { "of a second load" } }
        waiter.cancelAndJoin()
        gate.complete("of the first load")
        assertThat(leader.await()).isEqualTo("of the first load")
    }

    @Test
    fun loadOutlivesTheEventLoopOfItsLeader() {
        val begun = CompletableDeferred<Unit>()
        val gate = CompletableDeferred<String>()
        runBlocking { // on an event loop of this thread, which ends
            val leader = launch {
                cache.await("left") {
                    begun.complete(Unit)
                    gate.await()
                }
            }
            begun.await()
            leader.cancelAndJoin()
        }
        gate.complete("of the first load")
        val answer = runBlocking { cache.await("left") { "of a second load" } }
        assertThat(answer).isEqualTo("of the first load")
    }

    @Test
    fun absenceIsCached() = test {
        assertThat(cache.await("absent") { null }).isNull()
        assertThat(cache.await("absent") { "of a second load" }).isNull()
    }

    @Test
    fun exceptionOfTheLoaderArrivesAsItself() = test {
        val failure = IOException("the service is down")
        assertThat(thrownBy { cache.await("failing") { throw failure } }).isSameAs(failure)
    }

    @Test
    fun timeoutWithinTheLoaderDoesNotCancelItsCallers() = test {
        val thrown = thrownBy { cache.await("slow") { withTimeout(1) { awaitCancellation() } } }
        assertThat(thrown).isInstanceOf(LoadException::class.java)
            .hasCauseInstanceOf(TimeoutCancellationException::class.java)
    }

    @Test
    fun loadTimeoutCancelsTheLoader() = test {
        val begun = AtomicBoolean()
        val cancelled = CompletableDeferred<Unit>()
        var attempt = 0
        while (!begun.get()) { // on a busy machine, the time may be over before the loader begins
            val thrown = thrownBy {
                impatient.await("endless ${attempt++}") {
                    begun.set(true)
                    try {
                        awaitCancellation()
                    } finally {
                        cancelled.complete(Unit)
                    }
                }
            }
            assertThat(thrown).isInstanceOf(LoadTimeoutException::class.java)
        }
        cancelled.await()
    }

    @Test
    fun contextOfTheLeaderReachesTheLoader() = test {
        val user = ThreadLocal.withInitial { "nobody" }
        val found = withContext(user.asContextElement("Ada")) { cache.await("context") { user.get() } }
        assertThat(found).isEqualTo("Ada")
    }

    /** Each of the loads begins before any ends, though all callers and loaders have one thread. */
    @Test
    fun waitingBlocksNoThread() {
        Executors.newSingleThreadExecutor().asCoroutineDispatcher().use { oneThread ->
            runBlocking(oneThread) {
                val begun = AtomicInteger()
                val all = CompletableDeferred<Unit>()
                val answers = List(8) { number ->
                    async {
                        cache.await("together $number") {
                            if (begun.incrementAndGet() == 8) all.complete(Unit)
                            all.await()
                            "loaded"
                        }
                    }
                }
                assertThat(answers.awaitAll()).containsOnly("loaded")
            }
        }
    }
}
