package io.stampedeguard.examples.rates

import io.stampedeguard.StampedeGuardedCache
import io.stampedeguard.loader.LoadException
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.future.await
import kotlinx.coroutines.future.future

/**
 * Returns the value of a key, or `null` if the origin has none, as `getAsync` does. Suspends; blocks no thread of the caller.
 *
 * The [loader] runs in the coroutine context of the caller that leads the load, or whose read has triggered a reload: on its
 * dispatcher, and with its elements, such as an `MDCContext`; a `contextCarrier` does not reach it. It is no child of that caller,
 * because other callers wait for it: if callers are cancelled, the load goes on, and its value is cached. At the policy's
 * `loadTimeout`, it is cancelled.
 *
 * Throws the exception of the loader itself, and the other exceptions of `get` as they are. If the loader throws a
 * [CancellationException], which a `withTimeout` within it does, that is the cause of a [LoadException]: thrown by itself, it would
 * end the callers silently, as if somebody had cancelled them.
 */
suspend fun <K : Any, V : Any> StampedeGuardedCache<K, V>.await(key: K, loader: suspend (K) -> V?): V? {
    val loads = CoroutineScope(currentCoroutineContext() + SupervisorJob())
    val answer = getAsync(key) { loads.future { loader(it) } }
    // A stage of a result never fails: coroutines may copy an exception that a stage fails with.
    val result = answer.handle { value, failure -> if (failure == null) Result.success(value) else Result.failure(failure) }
    try {
        return result.await().getOrElse { throw it.ofLoader() ?: it }
    } catch (e: CancellationException) {
        answer.cancel(false)
        throw e
    }
}

private fun Throwable.ofLoader(): Throwable? = if (this is LoadException) cause.takeUnless { it is CancellationException } else null
