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
import dev.countersign.sdk.screen.ScreenTexts
import dev.countersign.sdk.screen.orFormerAnswer
import kotlinx.coroutines.CoroutineScope

/**
 * Opens a login and asks about it. [result] is called once for each session id, on the main thread. The user
 * is not asked about a login that this phone has already answered.
 */
@Composable
internal fun LoginSheet(
    sheetState: ModalBottomSheetState,
    coroutineScope: CoroutineScope,
    key: LoginKey,
    payload: String,
    texts: ScreenTexts,
    returnToPage: suspend (String) -> Boolean,
    result: (Result<Boolean>) -> Unit,
    logins: OpenLogins = OpenLogins.ofProcess,
    initialize: suspend (LoginKey) -> Result<Session>,
) {
    var reported by rememberSaveable { mutableStateOf<String?>(null) }
    var session by remember(key) { mutableStateOf(logins.session(key)) }
    val currentResult by rememberUpdatedState(result)
    val currentReturn by rememberUpdatedState(returnToPage)
    val report = { outcome: Result<Boolean> ->
        if (reported != key.sessionId) {
            reported = key.sessionId
            currentResult(outcome)
        }
    }
    LaunchedEffect(key) {
        if (reported == key.sessionId || session != null) return@LaunchedEffect
        initialize(key)
            .onSuccess {
                logins.put(key, it)
                session = it
            }.onFailure { report(Result.failure<Boolean>(it).orFormerAnswer { page -> currentReturn(page) }) }
    }
    ConfirmationSheet(sheetState, coroutineScope, session, payload, texts, returnToPage, logins, report)
}
