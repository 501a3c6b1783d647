package dev.countersign.sdk.compose

import androidx.compose.material.ModalBottomSheetState
import androidx.compose.material.ModalBottomSheetValue
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.setValue
import androidx.compose.runtime.snapshotFlow
import dev.countersign.sdk.Session
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.screen.Decision
import dev.countersign.sdk.screen.andReturnTo
import dev.countersign.sdk.screen.orFormerAnswer
import dev.countersign.sdk.screen.send
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelChildren
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.selects.select

/** The user's progress with a sheet. */
internal enum class SheetStage {
    ASKING,
    SENDING,
    DONE,
}

/**
 * A login that a sheet asks about. It outlives the sheet's activity: after a recreation, [ask] is called
 * again and continues. For the main thread only.
 */
internal class OpenLogin(val session: Session) {
    private val chosen = CompletableDeferred<Decision>()
    private val closed = CompletableDeferred<Unit>()
    private var answer: Deferred<Result<Boolean>>? = null
    private var result: Result<Boolean>? = null

    var stage: SheetStage by mutableStateOf(SheetStage.ASKING)
        private set

    /** The check code, once it has to be shown. It stays while the sheet closes. */
    var shownCode: String? by mutableStateOf(null)
        private set

    /** Accepts the user's decision. */
    fun decide(decision: Decision) {
        if (stage != SheetStage.ASKING) return
        stage = SheetStage.SENDING
        chosen.complete(decision)
    }

    /** Closes the check code. */
    fun close() {
        closed.complete(Unit)
    }

    /**
     * Shows the sheet, waits for the user, sends the answer in [scope], and returns the result. After a
     * confirmation, it shows the check code or opens the page, depending on the login.
     */
    suspend fun ask(
        state: ModalBottomSheetState,
        scope: () -> CoroutineScope,
        payload: () -> String,
        returnToPage: suspend (String) -> Boolean,
    ): Result<Boolean> {
        result?.let { return it }
        return coroutineScope {
            val end = async { awaitEnd(state) }
            val decision =
                select {
                    chosen.onAwait { it }
                    end.onAwait { null }
                }
            val answer = if (decision == null) Result.failure(end.await()) else send(decision, scope(), payload())
            val outcome =
                answer
                    .andReturnTo(session.returnUrl) { returnToPage(it) }
                    .orFormerAnswer { returnToPage(it) }
            if (outcome.getOrNull() == true && session.checkCode != null && !end.isCompleted) {
                shownCode = session.checkCode
                select {
                    closed.onAwait { }
                    end.onAwait { }
                }
            }
            end.cancel()
            stage = SheetStage.DONE
            outcome.also { result = it }
        }
    }

    /** Sends the decision, or continues with an answer that an earlier activity has begun to send. */
    private suspend fun send(decision: Decision, scope: CoroutineScope, payload: String): Result<Boolean> {
        val sending = answer ?: scope.async { session.send(decision, payload) }.also { answer = it }
        return try {
            sending.await()
        } catch (_: CancellationException) {
            currentCoroutineContext().ensureActive()
            // The app's scope has ended. Sending an answer again sends the same bytes.
            session.send(decision, payload)
        }
    }

    /** Waits until the login has expired or the user has closed the sheet. */
    private suspend fun awaitEnd(state: ModalBottomSheetState): SvcException =
        coroutineScope {
            val expiry = async { awaitExpiry() }
            val dismissal = async { awaitDismissal(state) }
            select {
                expiry.onAwait { SvcException.Expired(null) }
                dismissal.onAwait { SvcException.Cancelled() }
            }.also { coroutineContext.cancelChildren() }
        }

    private suspend fun awaitExpiry() {
        while (session.timeLeftMillis() > 0) {
            // In short steps: this clock continues while the device sleeps, but that of `delay` does not.
            delay(session.timeLeftMillis().coerceAtMost(EXPIRY_STEP_MILLIS))
        }
    }

    private suspend fun awaitDismissal(state: ModalBottomSheetState) {
        try {
            // Showing a sheet that a recreated activity has open would hide it before its first layout.
            if (state.targetValue == ModalBottomSheetValue.Hidden) state.show()
        } catch (_: CancellationException) {
            // The user grabbed the sheet while it was opening.
            currentCoroutineContext().ensureActive()
        }
        snapshotFlow { state.currentValue == ModalBottomSheetValue.Hidden }.first { it }
    }

    private companion object {
        const val EXPIRY_STEP_MILLIS = 1_000L
    }
}
