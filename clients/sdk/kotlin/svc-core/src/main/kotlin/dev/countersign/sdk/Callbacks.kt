package dev.countersign.sdk

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.launch
import java.util.concurrent.Executor

/** Receives the result of an operation in Java, which can call neither suspend functions nor [Result]. */
public interface SvcCallback<T> {
    /** The operation succeeded. */
    public fun onSuccess(value: T)

    /** The operation failed. */
    public fun onFailure(error: SvcException)
}

/** An operation in progress, whose result a [SvcCallback] receives. */
public fun interface SvcCall {
    /**
     * Cancels the operation. Its callback is no longer called. The operation can be called again, and then
     * continues with the same login.
     */
    public fun cancel()
}

/** Starts an operation, and passes its result to a callback on an executor. */
@JvmSynthetic
public fun <T> svcCall(
    executor: Executor,
    callback: SvcCallback<T>,
    operation: suspend () -> Result<T>,
): SvcCall {
    val call = Job()
    scope.launch(call) {
        val result = svcResult { operation().getOrThrow() }
        executor.execute {
            if (call.complete()) result.fold(callback::onSuccess) { callback.onFailure(it as SvcException) }
        }
    }
    return SvcCall { call.cancel() }
}

private val scope = CoroutineScope(Dispatchers.Default)
