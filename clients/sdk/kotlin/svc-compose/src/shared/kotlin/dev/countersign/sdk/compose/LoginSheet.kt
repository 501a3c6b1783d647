package dev.countersign.sdk.compose

import androidx.compose.material.ModalBottomSheetState
import androidx.compose.runtime.Composable
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.remember
import androidx.compose.runtime.rememberUpdatedState
import androidx.compose.runtime.saveable.rememberSaveable
import androidx.compose.runtime.setValue
import dev.countersign.sdk.Session
import dev.countersign.sdk.SvcException
import kotlinx.coroutines.CoroutineScope

/**
 * Opens a login and shows its confirmation screen. [result] is called once for each [sessionId]. A login
 * that this phone has answered before is not asked about again.
 */
@Composable
internal fun LoginSheet(
    sheetState: ModalBottomSheetState,
    coroutineScope: CoroutineScope,
    sessionId: String,
    payload: String,
    result: (Result<Boolean>) -> Unit,
    initialize: suspend () -> Result<Session>,
) {
    var reported by rememberSaveable(sessionId) { mutableStateOf(false) }
    var session by remember(sessionId) { mutableStateOf<Session?>(null) }
    val currentResult by rememberUpdatedState(result)
    val report = { outcome: Result<Boolean> ->
        if (!reported) {
            reported = true
            currentResult(outcome)
        }
    }
    LaunchedEffect(sessionId) {
        if (reported) return@LaunchedEffect
        initialize().fold(
            onSuccess = { session = it },
            onFailure = {
                report(if (it is SvcException.AlreadyAnswered) Result.success(it.confirmed) else Result.failure(it))
            },
        )
    }
    ConfirmationModalBottomSheet(sheetState, coroutineScope, session, payload, report)
}
