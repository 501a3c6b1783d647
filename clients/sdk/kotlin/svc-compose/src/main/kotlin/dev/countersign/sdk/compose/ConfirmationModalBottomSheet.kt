package dev.countersign.sdk.compose

import androidx.compose.material.ModalBottomSheetState
import androidx.compose.runtime.Composable
import dev.countersign.sdk.Session
import kotlinx.coroutines.CoroutineScope

/**
 * The default confirmation screen as a bottom sheet, which opens when [session] is set and covers its parent:
 * place it last, in a `Box` that fills the screen. It takes its colors from `MaterialTheme`.
 *
 * [onResult] is called once for each session, on the main thread: true after a confirmation (and after the
 * check code was shown, if there is one), false after a denial. A failure is an `SvcException`: `Cancelled`
 * if the user closes the sheet without an answer, which sends nothing; `Expired` once the login has expired.
 * Nothing is reported after the sheet has left the composition.
 *
 * After a confirmation, it opens the session's `returnUrl`, if there is one, in the phone's browser, once the
 * activity is visible. If that fails, the result is `SvcException.BrowserUnavailable`.
 *
 * After a recreation of the activity, pass the same [session] again: the sheet continues where it was.
 *
 * @param modalBottomSheetState state of this sheet. No other sheet may share it.
 * @param coroutineScope sends the answer, also while the activity is created again if the scope lives on.
 */
@Composable
public fun ConfirmationModalBottomSheet(
    modalBottomSheetState: ModalBottomSheetState,
    coroutineScope: CoroutineScope,
    session: Session? = null,
    payload: String,
    onResult: (Result<Boolean>) -> Unit,
) {
    GuardedSheet(modalBottomSheetState) {
        ConfirmationSheet(
            modalBottomSheetState,
            coroutineScope,
            session,
            payload,
            localTexts(),
            pageReturn(),
            onResult = onResult,
        )
    }
}
