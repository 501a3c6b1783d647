package dev.countersign.sdk.compose

import androidx.compose.material.Colors
import androidx.compose.material.LocalElevationOverlay
import androidx.compose.material.MaterialTheme
import androidx.compose.material.ModalBottomSheetDefaults
import androidx.compose.runtime.Composable
import androidx.compose.runtime.remember
import androidx.compose.runtime.staticCompositionLocalOf
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.graphics.compositeOver
import androidx.compose.ui.graphics.luminance
import dev.countersign.sdk.Severity

/**
 * The colors of the sheet, taken from the app's theme. Every text has a contrast of at least [TEXT_CONTRAST]
 * to its background if the theme's `onSurface` does.
 */
internal class SheetColors(colors: Colors, val background: Color) {
    val text: Color = colors.onSurface
    val label: Color = readable(over(colors.onSurface, LABEL_ALPHA), background)
    val action: Color = readable(colors.primary, background)
    val outline: Color = over(colors.onSurface, OUTLINE_ALPHA)
    val line: Color = over(colors.onSurface, LINE_ALPHA)

    /** Background of facts that belong together. */
    val card: Color = over(colors.onSurface, CARD_ALPHA)

    /** Returns the background of a flag. */
    fun ground(severity: Severity): Color =
        if (severity == Severity.INFO) card else over(hue(severity), GROUND_ALPHA)

    /** Returns the color of a flag's symbol and heading, on its background or on the sheet. */
    fun signal(severity: Severity): Color = readable(hue(severity), ground(severity))

    private fun hue(severity: Severity): Color {
        val isLight = background.luminance() > HALF
        return when (severity) {
            Severity.INFO -> label
            Severity.WARN -> Color(if (isLight) AMBER_DARK else AMBER_LIGHT)
            Severity.DENY -> Color(if (isLight) RED_DARK else RED_LIGHT)
        }
    }

    private fun over(color: Color, alpha: Float) = color.copy(alpha = alpha).compositeOver(background)

    /** Returns the color if it is readable on the background, and the text's color otherwise. */
    private fun readable(color: Color, ground: Color) =
        if (contrast(color, ground) >= TEXT_CONTRAST) color else text

    companion object {
        /** The contrast that WCAG 2.2 requires for text (level AA). */
        const val TEXT_CONTRAST = 4.5f
        private const val HALF = 0.4f
        private const val LABEL_ALPHA = 0.74f
        private const val OUTLINE_ALPHA = 0.6f
        private const val LINE_ALPHA = 0.16f
        private const val CARD_ALPHA = 0.06f
        private const val GROUND_ALPHA = 0.12f
        private const val AMBER_DARK = 0xFF8A4B00
        private const val AMBER_LIGHT = 0xFFFFC166
        private const val RED_DARK = 0xFFB3261E
        private const val RED_LIGHT = 0xFFFFA8A0
    }
}

/** Returns the contrast of two opaque colors as WCAG 2.2 defines it, from 1 to 21. */
internal fun contrast(a: Color, b: Color): Float {
    val (dark, light) = listOf(a.luminance(), b.luminance()).sorted()
    return (light + FLARE) / (dark + FLARE)
}

internal val LocalSheetColors = staticCompositionLocalOf<SheetColors> { error("outside of a sheet") }

/** Returns the colors for the app's theme. A dark sheet is lighter than the screen behind it. */
@Composable
internal fun rememberSheetColors(): SheetColors {
    val colors = MaterialTheme.colors
    val surface = colors.surface
    val background = LocalElevationOverlay.current?.apply(surface, ModalBottomSheetDefaults.Elevation) ?: surface
    return remember(colors, colors.onSurface, colors.primary, background) { SheetColors(colors, background) }
}

private const val FLARE = 0.05f
