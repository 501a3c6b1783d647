package dev.countersign.sdk.compose

import androidx.compose.material.ModalBottomSheetState
import androidx.compose.material.ModalBottomSheetValue
import androidx.compose.runtime.Composable
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.runtime.MutableState
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.remember
import androidx.compose.runtime.rememberUpdatedState
import androidx.compose.runtime.saveable.rememberSaveable
import androidx.compose.runtime.setValue
import androidx.compose.runtime.snapshotFlow
import dev.countersign.sdk.Session
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.screen.Decision
import dev.countersign.sdk.screen.send
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.launch

/** How far the person got with a sheet. */
internal enum class SheetStage {
    ASKING,
    SENDING,
    CHECK_CODE,
    DONE,
}

/** What the person decided about one session, and who must be told. */
internal class SheetDecision(
    private val session: Session,
    private val payload: () -> String,
    private val state: ModalBottomSheetState,
    private val scope: CoroutineScope,
    stage: MutableState<SheetStage>,
    private val onResult: (Result<Boolean>) -> Unit,
) {
    var stage: SheetStage by stage
        private set

    /** Sends a decision, then shows the check code if a confirmation has one. */
    fun decide(decision: Decision) {
        if (stage != SheetStage.ASKING) return
        stage = SheetStage.SENDING
        scope.launch {
            val result = session.send(decision, payload())
            if (result.getOrNull() == true && session.checkCode != null && state.isVisible) {
                stage = SheetStage.CHECK_CODE
            } else {
                finish(result)
            }
        }
    }

    /** Closes the check code. */
    fun close() {
        if (stage == SheetStage.CHECK_CODE) finish(Result.success(true))
    }

    /** Reports that the sheet is gone. An answer that is being sent still decides the result. */
    fun dismissed() {
        if (stage == SheetStage.ASKING) finish(Result.failure(SvcException.Cancelled())) else close()
    }

    /** Waits for the end of the login, which closes the sheet. */
    suspend fun awaitExpiry() {
        while (session.timeLeftMillis() > 0) {
            // Short steps: this clock goes on while the device sleeps, and that of `delay` does not.
            delay(session.timeLeftMillis().coerceAtMost(EXPIRY_STEP_MILLIS))
        }
        if (stage == SheetStage.ASKING) finish(Result.failure(SvcException.Expired(null))) else close()
    }

    private fun finish(result: Result<Boolean>) {
        stage = SheetStage.DONE
        onResult(result)
        scope.launch { state.hide() }
    }
}

/** Remembers the decision about a session, also when the activity is created again. */
@Composable
internal fun rememberSheetDecision(
    state: ModalBottomSheetState,
    scope: CoroutineScope,
    session: Session?,
    payload: String,
    onResult: (Result<Boolean>) -> Unit,
): SheetDecision? {
    if (session == null) return null
    val stage = rememberSaveable(session.sessionId) { mutableStateOf(SheetStage.ASKING) }
    val currentPayload by rememberUpdatedState(payload)
    val currentOnResult by rememberUpdatedState(onResult)
    val decision =
        remember(session, state, scope, stage) {
            // Whoever sent the answer is gone: the person answers again, and the same bytes are sent.
            if (stage.value == SheetStage.SENDING) stage.value = SheetStage.ASKING
            SheetDecision(session, { currentPayload }, state, scope, stage) { currentOnResult(it) }
        }
    LaunchedEffect(decision) {
        if (decision.stage == SheetStage.DONE) return@LaunchedEffect
        launch { decision.awaitExpiry() }
        launch { state.show() }
        snapshotFlow { state.currentValue }.first { it != ModalBottomSheetValue.Hidden }
        snapshotFlow { state.currentValue }.first { it == ModalBottomSheetValue.Hidden }
        decision.dismissed()
    }
    return decision
}

private const val EXPIRY_STEP_MILLIS = 1_000L
