package dev.countersign.sdk.compose

import androidx.activity.compose.BackHandler
import androidx.compose.material.ModalBottomSheetState
import androidx.compose.runtime.Composable
import androidx.compose.runtime.DisposableEffect
import androidx.compose.runtime.rememberCoroutineScope
import androidx.compose.ui.platform.LocalView
import androidx.compose.ui.text.intl.Locale
import dev.countersign.sdk.screen.ScreenTexts
import kotlinx.coroutines.launch

/** Closes the sheet on back. While it is open, touches that pass through another app's window are ignored. */
@Composable
internal fun GuardedSheet(state: ModalBottomSheetState, sheet: @Composable () -> Unit) {
    val scope = rememberCoroutineScope()
    val view = LocalView.current
    val open = state.isVisible
    DisposableEffect(view, open) {
        val before = view.filterTouchesWhenObscured
        if (open) view.filterTouchesWhenObscured = true
        onDispose { view.filterTouchesWhenObscured = before }
    }
    sheet()
    BackHandler(enabled = open) { scope.launch { state.hide() } }
}

/** Returns the texts in the user's language. */
@Composable
internal fun localTexts(): ScreenTexts = ScreenTexts.of(Locale.current.toLanguageTag())
