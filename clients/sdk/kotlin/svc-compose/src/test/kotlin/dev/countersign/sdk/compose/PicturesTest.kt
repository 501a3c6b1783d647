package dev.countersign.sdk.compose

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
import androidx.compose.ui.graphics.asSkiaBitmap
import androidx.compose.ui.platform.LocalDensity
import androidx.compose.ui.test.ExperimentalTestApi
import androidx.compose.ui.test.SkikoComposeUiTest
import androidx.compose.ui.test.captureToImage
import androidx.compose.ui.test.onNodeWithText
import androidx.compose.ui.test.onRoot
import androidx.compose.ui.test.performClick
import androidx.compose.ui.test.runSkikoComposeUiTest
import androidx.compose.ui.geometry.Size
import androidx.compose.ui.unit.Density
import dev.countersign.sdk.RiskStatus
import dev.countersign.sdk.screen.ScreenTexts
import org.jetbrains.skia.EncodedImageFormat
import org.jetbrains.skia.Image
import org.junit.Assert.assertTrue
import org.junit.Test
import java.io.File

/** Draws the screens for people to look at, into the folder `target/pictures`. */
@OptIn(ExperimentalTestApi::class)
class PicturesTest {
    @Test fun light() = picture("light", warned)

    @Test fun dark() = picture("dark", warned, dark = true)

    @Test fun large_text() = picture("large-text", FakeSession(), fontScale = 2f)

    @Test fun right_to_left() = picture("right-to-left", FakeSession(template = ARABIC_TEMPLATE), language = "ar")

    @Test fun german() = picture("german", FakeSession(context = "Zahlung 20 EUR an Zoë"), language = "de")

    @Test fun japanese() = picture("japanese", FakeSession(), language = "ja")

    @Test fun clear() = picture("risk-clear", FakeSession(flags = listOf(REASSURANCE)))

    @Test fun denied() = picture("risk-deny", denied)

    @Test fun denied_dark() = picture("risk-deny-dark", denied, dark = true)

    @Test fun context() = picture("context", FakeSession(context = "Pay 20 EUR to Zoë\nIBAN DE02 1203 0000 0000 2020 51"))

    @Test
    fun check_code() = picture("check-code", FakeSession(checkCode = "42")) {
        onNodeWithText("Confirm").performClick()
        mainClock.advanceTimeBy(1_500)
    }

    @Test
    fun scanner() = runSkikoComposeUiTest(Size(WIDTH, HEIGHT), Density(2f)) {
        setContent {
            MaterialTheme { ScannerChrome(ScreenTexts.of("en"), isLoading = false, onClose = {}, Modifier.fillMaxSize()) {} }
        }
        save("scanner")
    }

    private val warned = FakeSession(risk = RiskStatus.WARN, flags = listOf(WARNING, REASSURANCE))
    private val denied = FakeSession(risk = RiskStatus.DENY, flags = listOf(WARNING, DANGER))

    private fun picture(
        name: String,
        session: FakeSession,
        dark: Boolean = false,
        fontScale: Float = 1f,
        language: String = "en",
        then: SkikoComposeUiTest.() -> Unit = {},
    ) = runSkikoComposeUiTest(Size(WIDTH, HEIGHT), Density(2f)) {
        session.clock = { mainClock.currentTime }
        setContent {
            CompositionLocalProvider(LocalDensity provides Density(2f, fontScale)) {
                MaterialTheme(if (dark) darkColors() else lightColors()) {
                    Surface(Modifier.fillMaxSize()) {
                        Box(Modifier.fillMaxSize()) {
                            val state = rememberModalBottomSheetState(ModalBottomSheetValue.Hidden, skipHalfExpanded = true)
                            ConfirmationSheet(state, rememberCoroutineScope(), session, "", ScreenTexts.of(language)) {}
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
