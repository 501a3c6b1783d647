package dev.countersign.sdk.compose

import androidx.compose.foundation.background
import androidx.compose.foundation.layout.Box
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.material.MaterialTheme
import androidx.compose.material.ModalBottomSheetValue
import androidx.compose.material.Surface
import androidx.compose.material.darkColors
import androidx.compose.material.lightColors
import androidx.compose.material.rememberModalBottomSheetState
import androidx.compose.runtime.CompositionLocalProvider
import androidx.compose.runtime.rememberCoroutineScope
import androidx.compose.ui.Modifier
import androidx.compose.ui.geometry.Size
import androidx.compose.ui.graphics.Brush
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.graphics.asSkiaBitmap
import androidx.compose.ui.platform.LocalDensity
import androidx.compose.ui.test.ExperimentalTestApi
import androidx.compose.ui.test.SkikoComposeUiTest
import androidx.compose.ui.test.captureToImage
import androidx.compose.ui.test.onNodeWithText
import androidx.compose.ui.test.onRoot
import androidx.compose.ui.test.performClick
import androidx.compose.ui.test.performScrollTo
import androidx.compose.ui.test.v2.runSkikoComposeUiTest
import androidx.compose.ui.unit.Density
import dev.countersign.sdk.RiskStatus
import dev.countersign.sdk.ScreenPlace
import dev.countersign.sdk.screen.ScreenTexts
import kotlinx.coroutines.CompletableDeferred
import org.jetbrains.skia.EncodedImageFormat
import org.jetbrains.skia.Image
import org.junit.Assert.assertTrue
import org.junit.Test
import java.io.File

/** Draws the screens for visual inspection, into the folder `target/pictures`. */
@OptIn(ExperimentalTestApi::class)
class PicturesTest {
    @Test fun light() = picture("light", warned)

    @Test fun dark() = picture("dark", warned, dark = true)

    @Test fun large_text() = picture("large-text", FakeSession(), fontScale = 2f)

    @Test
    fun large_text_at_its_end() = picture("large-text-end", FakeSession(), fontScale = 2f) {
        onNodeWithText("Firefox on Linux").performScrollTo()
        mainClock.advanceTimeBy(1_500)
    }

    @Test fun right_to_left() = picture("right-to-left", FakeSession(template = ARABIC_TEMPLATE), language = "ar")

    @Test
    fun german() = picture(
        "german",
        FakeSession(context = "Zahlung 20 EUR an Zoë", template = GERMAN_TEMPLATE),
        language = "de",
    )

    /** If this machine has no Japanese font, the characters appear as boxes. */
    @Test fun japanese() = picture("japanese", FakeSession(template = JAPANESE_TEMPLATE), language = "ja")

    @Test fun clear() = picture("risk-clear", FakeSession(flags = listOf(REASSURANCE), template = calm))

    @Test fun denied() = picture("risk-deny", denied)

    @Test fun denied_dark() = picture("risk-deny-dark", denied, dark = true)

    @Test fun context() = picture(
        "context",
        FakeSession(context = "Pay 20 EUR to Zoë\nIBAN DE02 1203 0000 0000 2020 51"),
    )

    @Test fun half_open() = picture("half-open", warned, skipHalf = false)

    @Test
    fun sending() = picture("sending", FakeSession().apply { gate = CompletableDeferred() }) {
        onNodeWithText("Deny").performClick()
        mainClock.advanceTimeBy(500)
    }

    @Test fun check_code() = picture("check-code", FakeSession(checkCode = "42", template = calm), then = confirm)

    @Test fun check_code_dark() = picture(
        "check-code-dark",
        FakeSession(checkCode = "42", template = calm),
        dark = true,
        then = confirm,
    )

    @Test fun scanner() = chrome("scanner")

    @Test fun scanner_loading() = chrome("scanner-loading", isLoading = true)

    @Test fun scanner_wrong_code() = chrome(
        "scanner-wrong-code",
        problem = "This is not a code of a login that this app opens.",
    )

    @Test
    fun scanner_refused() = ScreenTexts.of("en").let {
        chrome("scanner-refused", problem = it.cameraNeeded, allow = it.allowCamera)
    }

    private val calm = ENGLISH_TEMPLATE.copy(widget = ScreenPlace("Berlin, DE", null))
    private val warned = FakeSession(risk = RiskStatus.WARN, flags = listOf(WARNING))
    private val denied = FakeSession(risk = RiskStatus.DENY, flags = listOf(WARNING, DANGER))
    private val confirm: SkikoComposeUiTest.() -> Unit = {
        onNodeWithText("Confirm").performClick()
        mainClock.advanceTimeBy(1_500)
    }

    private fun chrome(name: String, problem: String? = null, allow: String? = null, isLoading: Boolean = false) =
        runSkikoComposeUiTest(Size(WIDTH, HEIGHT), Density(2f)) {
            setContent {
                MaterialTheme {
                    ScannerChrome(ScreenTexts.of("en"), problem, allow, {}, isLoading, {}, Modifier.fillMaxSize()) {
                        Box(it.background(Brush.linearGradient(listOf(Color(0xFFE8E0D0), Color(0xFF5B6B7A)))))
                    }
                }
            }
            mainClock.advanceTimeBy(900)
            save(name)
        }

    private fun picture(
        name: String,
        session: FakeSession,
        dark: Boolean = false,
        fontScale: Float = 1f,
        language: String = "en",
        skipHalf: Boolean = true,
        then: SkikoComposeUiTest.() -> Unit = {},
    ) = runSkikoComposeUiTest(Size(WIDTH, HEIGHT), Density(2f)) {
        session.clock = { mainClock.currentTime }
        setContent {
            CompositionLocalProvider(LocalDensity provides Density(2f, fontScale)) {
                MaterialTheme(if (dark) darkColors() else lightColors()) {
                    Surface(Modifier.fillMaxSize()) {
                        Box(Modifier.fillMaxSize()) {
                            val hidden = ModalBottomSheetValue.Hidden
                            val initial = if (skipHalf) hidden else ModalBottomSheetValue.HalfExpanded
                            val state = rememberModalBottomSheetState(initial, skipHalfExpanded = skipHalf)
                            val texts = ScreenTexts.of(language)
                            val scope = rememberCoroutineScope()
                            ConfirmationSheet(state, scope, session, "", texts, NO_PAGE, OpenLogins()) {}
                        }
                    }
                }
            }
        }
        mainClock.advanceTimeBy(2_500)
        then()
        save(name)
    }

    private fun SkikoComposeUiTest.save(name: String) {
        val bitmap = onRoot().captureToImage().asSkiaBitmap()
        val folder = File(System.getProperty("countersign.pictures") ?: "target/pictures").apply { mkdirs() }
        val png = Image.makeFromBitmap(bitmap).encodeToData(EncodedImageFormat.PNG)!!.bytes
        File(folder, "$name.png").writeBytes(png)
        assertTrue("$name is empty", png.size > SMALLEST_PICTURE)
    }

    private companion object {
        const val WIDTH = 720f
        const val HEIGHT = 1440f
        const val SMALLEST_PICTURE = 5_000
    }
}
