package dev.countersign.sdk.compose

import androidx.compose.foundation.layout.Box
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.material.MaterialTheme
import androidx.compose.material.ModalBottomSheetState
import androidx.compose.material.ModalBottomSheetValue
import androidx.compose.material.rememberModalBottomSheetState
import androidx.compose.runtime.Composable
import androidx.compose.runtime.CompositionLocalProvider
import androidx.compose.runtime.SideEffect
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.rememberCoroutineScope
import androidx.compose.runtime.saveable.LocalSaveableStateRegistry
import androidx.compose.runtime.saveable.SaveableStateRegistry
import androidx.compose.runtime.setValue
import androidx.compose.ui.Modifier
import androidx.compose.ui.geometry.Size
import androidx.compose.ui.test.ExperimentalTestApi
import androidx.compose.ui.test.SkikoComposeUiTest
import dev.countersign.sdk.Session
import dev.countersign.sdk.screen.ScreenTexts
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope

/** The size of a phone's screen, at a density of 1. */
internal val PHONE = Size(400f, 900f)

/**
 * An app with a login sheet, whose activity can be recreated. Without a [scope], the activity's own scope
 * sends answers.
 */
@OptIn(ExperimentalTestApi::class)
internal class LoginApp(
    private val test: SkikoComposeUiTest,
    private val scope: CoroutineScope? = null,
    var initialize: suspend (LoginKey) -> Result<Session>,
) {
    val opened = mutableListOf<LoginKey>()
    val results = mutableListOf<Result<Boolean>>()

    /** The pages that were opened in a browser, which waits for [isVisible]. */
    val returned = mutableListOf<String>()
    var hasBrowser = true
    var isVisible = CompletableDeferred(Unit)
    var key by mutableStateOf(LoginKey(this, "app", "qrs_1", null))
    var payload by mutableStateOf("token")
    var mainThread: Thread? = null
    var resultThread: Thread? = null
    lateinit var state: ModalBottomSheetState
    private val logins = OpenLogins()
    private var saved = SaveableStateRegistry(emptyMap()) { true }
    private var present by mutableStateOf(true)

    fun show() {
        test.setContent {
            if (present) {
                CompositionLocalProvider(LocalSaveableStateRegistry provides saved) {
                    MaterialTheme { Screen() }
                }
            }
        }
        settle()
    }

    @Composable
    private fun Screen() {
        SideEffect { mainThread = Thread.currentThread() }
        state = rememberModalBottomSheetState(ModalBottomSheetValue.Hidden, skipHalfExpanded = true)
        Box(Modifier.fillMaxSize()) {
            LoginSheet(
                state,
                scope ?: rememberCoroutineScope(),
                key,
                payload,
                ScreenTexts.of("en"),
                {
                    isVisible.await()
                    returned += it
                    hasBrowser
                },
                {
                    resultThread = Thread.currentThread()
                    results += it
                },
                logins,
            ) {
                opened += it
                initialize(it)
            }
        }
    }

    /** Leaves the composition, as navigation would. */
    fun leave() {
        present = false
        settle()
    }

    fun enter() {
        saved = SaveableStateRegistry(emptyMap()) { true }
        present = true
        settle()
    }

    /** Destroys the activity and recreates it from its saved state. */
    fun recreate(between: () -> Unit = {}) {
        val state = saved.performSave()
        present = false
        settle()
        between()
        saved = SaveableStateRegistry(state) { true }
        present = true
        settle()
    }

    private fun settle() = test.mainClock.advanceTimeBy(2_500)
}
