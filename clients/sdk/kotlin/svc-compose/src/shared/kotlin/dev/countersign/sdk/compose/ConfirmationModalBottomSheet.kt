package dev.countersign.sdk.compose

import androidx.compose.foundation.layout.Box
import androidx.compose.foundation.layout.BoxWithConstraints
import androidx.compose.foundation.layout.Spacer
import androidx.compose.foundation.layout.WindowInsets
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.height
import androidx.compose.foundation.layout.navigationBars
import androidx.compose.foundation.layout.windowInsetsPadding
import androidx.compose.material.ModalBottomSheetLayout
import androidx.compose.material.ModalBottomSheetState
import androidx.compose.material.ModalBottomSheetValue
import androidx.compose.runtime.Composable
import androidx.compose.runtime.CompositionLocalProvider
import androidx.compose.runtime.remember
import androidx.compose.ui.Modifier
import androidx.compose.ui.platform.LocalLayoutDirection
import androidx.compose.ui.text.intl.Locale
import androidx.compose.ui.unit.Dp
import androidx.compose.ui.unit.LayoutDirection
import androidx.compose.ui.unit.dp
import dev.countersign.sdk.Session
import dev.countersign.sdk.screen.ConfirmationContent
import dev.countersign.sdk.screen.ScreenTexts
import kotlinx.coroutines.CoroutineScope

/**
 * The default confirmation screen as a bottom sheet, which opens when [session] is given and covers its
 * parent: place it last, in a `Box` that fills the screen. It takes its colours from `MaterialTheme`.
 *
 * [onResult] is called once for each session: true after a confirmation (and after the check code was
 * shown, if there is one), false after a denial, and a failure with `SvcException.Cancelled` if the person
 * closes the sheet without an answer, which sends nothing.
 *
 * @param modalBottomSheetState state of this sheet alone; no other sheet may share it.
 * @param coroutineScope sends the answer. An answer is lost from view if the scope ends.
 */
@Composable
public fun ConfirmationModalBottomSheet(
    modalBottomSheetState: ModalBottomSheetState,
    coroutineScope: CoroutineScope,
    session: Session? = null,
    payload: String,
    onResult: (Result<Boolean>) -> Unit,
) {
    ConfirmationSheet(
        modalBottomSheetState,
        coroutineScope,
        session,
        payload,
        ScreenTexts.of(Locale.current.toLanguageTag()),
        onResult,
    )
}

@Composable
internal fun ConfirmationSheet(
    state: ModalBottomSheetState,
    scope: CoroutineScope,
    session: Session?,
    payload: String,
    texts: ScreenTexts,
    onResult: (Result<Boolean>) -> Unit,
) {
    val decision = rememberSheetDecision(state, scope, session, payload, onResult)
    val direction = if (texts.isRightToLeft) LayoutDirection.Rtl else LayoutDirection.Ltr
    CompositionLocalProvider(LocalLayoutDirection provides direction) {
        BoxWithConstraints {
            val height = maxHeight
            ModalBottomSheetLayout(
                sheetState = state,
                sheetContent = {
                    if (session == null || decision == null) {
                        // The layout measures its sheet even while it is hidden.
                        Spacer(Modifier.height(1.dp))
                    } else {
                        SheetContent(session, decision, texts, height, state)
                    }
                },
                content = {},
            )
        }
    }
}

/** Keeps the buttons in view, also while the sheet is open by half. */
@Composable
private fun SheetContent(
    session: Session,
    decision: SheetDecision,
    texts: ScreenTexts,
    height: Dp,
    state: ModalBottomSheetState,
) {
    val sheet = height * SHEET_SHARE
    val half = state.currentValue == ModalBottomSheetValue.HalfExpanded
    val visible = if (half) height / 2 else sheet
    val content = remember(session, texts) { ConfirmationContent(session, texts) }
    val code = session.checkCode
    Box(
        Modifier.fillMaxWidth().height(sheet),
    ) {
        val modifier = Modifier.height(visible).windowInsetsPadding(WindowInsets.navigationBars)
        if (decision.stage == SheetStage.CHECK_CODE && code != null) {
            CheckCodeScreen(code, texts, decision::close, modifier)
        } else {
            ConfirmationScreen(
                content,
                texts,
                sending = decision.stage == SheetStage.SENDING,
                onDecision = decision::decide,
                modifier = modifier,
                shown = state.currentValue != ModalBottomSheetValue.Hidden,
            )
        }
    }
}

private const val SHEET_SHARE = 0.92f
