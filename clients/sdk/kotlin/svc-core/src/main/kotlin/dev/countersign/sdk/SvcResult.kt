package dev.countersign.sdk

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext

/**
 * Runs a block, and returns its result or the [SvcException] that it threw; any other exception becomes an
 * [SvcException.Internal]. Cancellation and JVM errors are let through.
 */
@Suppress("TooGenericExceptionCaught")
public inline fun <T> svcResult(block: () -> T): Result<T> =
    try {
        Result.success(block())
    } catch (error: CancellationException) {
        throw error
    } catch (error: SvcException) {
        Result.failure(error)
    } catch (error: Exception) {
        Result.failure(SvcException.Internal("$error").apply { initCause(error) })
    }

/** Runs a call of the native library on a thread that may block, because the platform's stores do. */
internal suspend fun <T> offMain(call: suspend () -> T): Result<T> =
    svcResult { withContext(Dispatchers.IO) { native { call() } } }
