package dev.countersign.sdk.compose

import androidx.compose.material.Colors
import androidx.compose.material.MaterialTheme
import androidx.compose.material.darkColors
import androidx.compose.material.lightColors
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.graphics.compositeOver
import androidx.compose.ui.test.ExperimentalTestApi
import androidx.compose.ui.test.v2.runComposeUiTest
import dev.countersign.sdk.Severity
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

@OptIn(ExperimentalTestApi::class)
class SheetColorsTest {
    private val themes =
        mapOf(
            "light" to lightColors(),
            "dark" to darkColors(),
            "pale brand" to lightColors(primary = Color(0xFFFFE082)),
            "dark brand" to darkColors(primary = Color(0xFF4A148C)),
            "tinted" to lightColors(surface = Color(0xFFE3F2FD), onSurface = Color(0xFF0D2A40)),
        )

    private fun colors(theme: Colors): SheetColors {
        lateinit var colors: SheetColors
        runComposeUiTest { setContent { MaterialTheme(theme) { colors = rememberSheetColors() } } }
        return colors
    }

    private fun reads(name: String, text: Color, ground: Color, least: Float = SheetColors.TEXT_CONTRAST) {
        val contrast = contrast(text, ground)
        assertTrue("$name has a contrast of $contrast", contrast >= least)
    }

    @Test
    fun every_text_stands_out_from_its_ground_in_every_theme() {
        for ((name, theme) in themes) {
            val colors = colors(theme)
            // Material draws text with this share of its color.
            val text = colors.text.copy(alpha = 0.87f)
            for (ground in listOf(colors.background, colors.card) + Severity.entries.map(colors::ground)) {
                reads("text in $name", text.compositeOver(ground), ground)
            }
            reads("label in $name", colors.label, colors.card)
            reads("label on the sheet in $name", colors.label, colors.background)
            reads("button in $name", colors.action, colors.background)
            for (severity in Severity.entries) {
                reads("$severity in $name", colors.signal(severity), colors.ground(severity))
            }
        }
    }

    @Test
    fun symbols_and_outlines_stand_out_in_every_theme() {
        for ((name, theme) in themes) {
            val colors = colors(theme)
            reads("outline in $name", colors.outline, colors.background, SYMBOL_CONTRAST)
            reads("warning beside a place in $name", colors.signal(Severity.WARN), colors.card, SYMBOL_CONTRAST)
        }
    }

    @Test
    fun advice_of_the_scanner_reads_above_a_white_picture() {
        val shade = Color.Black.copy(alpha = SHADE_ALPHA).compositeOver(Color.White)
        reads("advice", Color.White, shade)
    }

    @Test
    fun contrast_is_that_of_the_guidelines() {
        assertEquals(21f, contrast(Color.Black, Color.White), 0.01f)
        assertEquals(1f, contrast(Color.Red, Color.Red), 0.01f)
        // WCAG's own example: gray #767676 on white just passes.
        assertEquals(4.54f, contrast(Color(0xFF767676), Color.White), 0.01f)
    }

    private companion object {
        const val SYMBOL_CONTRAST = 3f
    }
}
