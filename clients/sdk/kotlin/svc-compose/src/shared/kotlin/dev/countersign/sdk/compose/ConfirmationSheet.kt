package dev.countersign.sdk.compose

import androidx.compose.foundation.layout.BoxWithConstraints
import androidx.compose.foundation.layout.Spacer
import androidx.compose.foundation.layout.WindowInsets
import androidx.compose.foundation.layout.height
import androidx.compose.foundation.layout.navigationBars
import androidx.compose.foundation.layout.windowInsetsPadding
import androidx.compose.foundation.shape.RoundedCornerShape
import androidx.compose.material.ModalBottomSheetLayout
import androidx.compose.material.ModalBottomSheetState
import androidx.compose.material.ModalBottomSheetValue
import androidx.compose.runtime.Composable
import androidx.compose.runtime.CompositionLocalProvider
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.runtime.getValue
import androidx.compose.runtime.remember
import androidx.compose.runtime.rememberUpdatedState
import androidx.compose.ui.Modifier
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.layout.Layout
import androidx.compose.ui.platform.LocalLayoutDirection
import androidx.compose.ui.unit.Dp
import androidx.compose.ui.unit.LayoutDirection
import androidx.compose.ui.unit.dp
import dev.countersign.sdk.Session
import dev.countersign.sdk.screen.ConfirmationContent
import dev.countersign.sdk.screen.ScreenTexts
import kotlinx.coroutines.CoroutineScope

/**
 * The confirmation screen as a bottom sheet. [onResult] is called once for each session.
 *
 * @param returnToPage opens a `returnUrl` in a browser, and returns whether it could.
 */
@Composable
internal fun ConfirmationSheet(
    state: ModalBottomSheetState,
    scope: CoroutineScope,
    session: Session?,
    payload: String,
    texts: ScreenTexts,
    returnToPage: suspend (String) -> Boolean,
    logins: OpenLogins = OpenLogins.ofProcess,
    onResult: (Result<Boolean>) -> Unit,
) {
    val login = askedLogin(state, scope, session, payload, returnToPage, logins, onResult)
    val direction = if (texts.isRightToLeft) LayoutDirection.Rtl else LayoutDirection.Ltr
    val colors = rememberSheetColors()
    CompositionLocalProvider(LocalLayoutDirection provides direction, LocalSheetColors provides colors) {
        BoxWithConstraints {
            val height = maxHeight
            ModalBottomSheetLayout(
                sheetState = state,
                sheetShape = RoundedCornerShape(topStart = 20.dp, topEnd = 20.dp),
                sheetBackgroundColor = colors.background,
                sheetContentColor = colors.text,
                scrimColor = Color.Black.copy(alpha = SCRIM_ALPHA),
                sheetContent = {
                    if (login == null) {
                        // The layout measures its sheet even while it is hidden.
                        Spacer(Modifier.height(1.dp))
                    } else {
                        SheetContent(login, texts, height, state)
                    }
                },
                content = {},
            )
        }
    }
}

/** Asks about a session that has no result yet, and returns its login. */
@Composable
private fun askedLogin(
    state: ModalBottomSheetState,
    scope: CoroutineScope,
    session: Session?,
    payload: String,
    returnToPage: suspend (String) -> Boolean,
    logins: OpenLogins,
    onResult: (Result<Boolean>) -> Unit,
): OpenLogin? {
    val login = remember(session) { session?.let(logins::login) }
    val currentScope by rememberUpdatedState(scope)
    val currentPayload by rememberUpdatedState(payload)
    val currentReturn by rememberUpdatedState(returnToPage)
    val currentOnResult by rememberUpdatedState(onResult)
    LaunchedEffect(login, state) {
        if (login != null && !logins.isFinished(login.session)) {
            val result = login.ask(state, { currentScope }, { currentPayload }) { currentReturn(it) }
            logins.finish(login)
            currentOnResult(result)
        }
        if (state.isVisible) state.hide()
    }
    return login
}

@Composable
private fun SheetContent(login: OpenLogin, texts: ScreenTexts, height: Dp, state: ModalBottomSheetState) {
    val content = remember(login, texts) { ConfirmationContent(login.session, texts) }
    val code = login.shownCode
    val half = state.currentValue == ModalBottomSheetValue.HalfExpanded
    FittingSheet(most = height * SHEET_SHARE, visible = if (half) height / 2 else height) {
        val modifier = Modifier.windowInsetsPadding(WindowInsets.navigationBars)
        if (code != null) {
            CheckCodeScreen(code, texts, login::close, modifier)
        } else {
            ConfirmationScreen(
                content,
                texts,
                sending = login.stage == SheetStage.SENDING,
                onDecision = login::decide,
                modifier = modifier,
                shown = state.currentValue != ModalBottomSheetValue.Hidden,
            )
        }
    }
}

/**
 * As high as its content, up to [most]. The content itself is squeezed into the [visible] part, so that its
 * buttons stay in view while the sheet is half open.
 */
@Composable
private fun FittingSheet(most: Dp, visible: Dp, content: @Composable () -> Unit) {
    Layout(content) { measurables, constraints ->
        val child = measurables.single()
        val wanted = child.maxIntrinsicHeight(constraints.maxWidth)
        val sheet = wanted.coerceAtMost(most.roundToPx())
        val height = sheet.coerceAtMost(visible.roundToPx())
        val placeable = child.measure(constraints.copy(minHeight = height, maxHeight = height))
        layout(constraints.maxWidth, sheet) { placeable.place(0, 0) }
    }
}

private const val SHEET_SHARE = 0.92f
private const val SCRIM_ALPHA = 0.5f
