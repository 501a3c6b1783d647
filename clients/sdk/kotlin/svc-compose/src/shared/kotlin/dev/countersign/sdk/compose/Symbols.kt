package dev.countersign.sdk.compose

import androidx.compose.ui.graphics.Color
import androidx.compose.ui.graphics.SolidColor
import androidx.compose.ui.graphics.StrokeCap
import androidx.compose.ui.graphics.StrokeJoin
import androidx.compose.ui.graphics.vector.ImageVector
import androidx.compose.ui.graphics.vector.addPathNodes
import androidx.compose.ui.unit.dp
import dev.countersign.sdk.Severity

/** The symbols of the screens, drawn as lines. None of them appears without words. */
internal object Symbols {
    private val triangle = symbol("M12 4 L21.5 20 H2.5 Z M12 10 V14 M12 17 V17.1")
    private val octagon = symbol("M8.3 3 H15.7 L21 8.3 V15.7 L15.7 21 H8.3 L3 15.7 V8.3 Z M9 9 L15 15 M15 9 L9 15")
    private val circle = symbol("M12 3 A9 9 0 1 1 12 21 A9 9 0 1 1 12 3 Z M12 11 V16.5 M12 7.6 V7.7")
    val phone =
        symbol(
            "M8.5 2.5 H15.5 A2 2 0 0 1 17.5 4.5 V19.5 A2 2 0 0 1 15.5 21.5 H8.5 A2 2 0 0 1 6.5 19.5 V4.5 A2 2 0 0 1 8.5 2.5 Z M11 18.3 H13",
        )
    val screen =
        symbol(
            "M4.5 4 H19.5 A2 2 0 0 1 21.5 6 V14.5 A2 2 0 0 1 19.5 16.5 H4.5 A2 2 0 0 1 2.5 14.5 V6 A2 2 0 0 1 4.5 4 Z M12 16.5 V20.5 M8 20.5 H16",
        )
    val check = symbol("M4.5 12.5 L10 18 L19.5 7")
    val cross = symbol("M6 6 L18 18 M18 6 L6 18")

    fun of(severity: Severity): ImageVector =
        when (severity) {
            Severity.INFO -> circle
            Severity.WARN -> triangle
            Severity.DENY -> octagon
        }

    private fun symbol(path: String): ImageVector =
        ImageVector
            .Builder(defaultWidth = 24.dp, defaultHeight = 24.dp, viewportWidth = 24f, viewportHeight = 24f)
            .addPath(
                addPathNodes(path),
                stroke = SolidColor(Color.Black),
                strokeLineWidth = 2f,
                strokeLineCap = StrokeCap.Round,
                strokeLineJoin = StrokeJoin.Round,
            ).build()
}
