package dev.countersign.sdk.compose

import androidx.compose.material.ModalBottomSheetState
import androidx.compose.runtime.Composable
import dev.countersign.sdk.android.Svc
import kotlinx.coroutines.CoroutineScope

/**
 * Opens the login of a scanned or opened link, shows [ConfirmationModalBottomSheet] and sends the user's
 * answer. Place it last, in a `Box` that fills the screen, once there is a session id.
 *
 * [result] is called once for each session id, on the main thread: true for a confirmation, false for a
 * denial, even if this phone sent that answer before. A failure is an `SvcException`: `Cancelled` if the user
 * closes the sheet, which sends nothing, and the failures of `Svc.initializeQrSession` and `Session.confirm`.
 * A recreation of the activity continues the login. A different [sessionId] starts a different login.
 *
 * @param sheetState state of this sheet. No other sheet may share it.
 * @param coroutineScope sends the answer, also while the activity is created again if the scope lives on.
 */
@Composable
public fun EasySvcAuth(
    sheetState: ModalBottomSheetState,
    coroutineScope: CoroutineScope,
    svc: Svc,
    sessionId: String,
    appKey: String,
    payload: String,
    publicUserId: String?,
    result: (Result<Boolean>) -> Unit,
) {
    GuardedSheet(sheetState) {
        LoginSheet(
            sheetState,
            coroutineScope,
            LoginKey(svc, appKey, sessionId, publicUserId),
            payload,
            localTexts(),
            pageReturn(),
            result,
        ) { svc.initializeQrSession(it.appKey, it.sessionId, it.publicUserId) }
    }
}
