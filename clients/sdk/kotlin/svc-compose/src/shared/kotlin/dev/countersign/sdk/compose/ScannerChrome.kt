package dev.countersign.sdk.compose

import androidx.compose.foundation.BorderStroke
import androidx.compose.foundation.Canvas
import androidx.compose.foundation.background
import androidx.compose.foundation.layout.Box
import androidx.compose.foundation.layout.Spacer
import androidx.compose.foundation.layout.WindowInsets
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.foundation.layout.heightIn
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.layout.safeDrawing
import androidx.compose.foundation.layout.size
import androidx.compose.foundation.layout.width
import androidx.compose.foundation.layout.windowInsetsPadding
import androidx.compose.foundation.shape.RoundedCornerShape
import androidx.compose.material.ButtonDefaults
import androidx.compose.material.CircularProgressIndicator
import androidx.compose.material.Icon
import androidx.compose.material.MaterialTheme
import androidx.compose.material.OutlinedButton
import androidx.compose.material.Text
import androidx.compose.runtime.Composable
import androidx.compose.runtime.CompositionLocalProvider
import androidx.compose.ui.Alignment
import androidx.compose.ui.Modifier
import androidx.compose.ui.geometry.CornerRadius
import androidx.compose.ui.geometry.Offset
import androidx.compose.ui.geometry.Rect
import androidx.compose.ui.geometry.RoundRect
import androidx.compose.ui.geometry.Size
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.graphics.Path
import androidx.compose.ui.graphics.PathFillType
import androidx.compose.ui.graphics.StrokeCap
import androidx.compose.ui.graphics.drawscope.DrawScope
import androidx.compose.ui.graphics.drawscope.Stroke
import androidx.compose.ui.graphics.vector.ImageVector
import androidx.compose.ui.platform.LocalLayoutDirection
import androidx.compose.ui.semantics.LiveRegionMode
import androidx.compose.ui.semantics.contentDescription
import androidx.compose.ui.semantics.liveRegion
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.text.font.FontWeight
import androidx.compose.ui.text.style.TextAlign
import androidx.compose.ui.unit.LayoutDirection
import androidx.compose.ui.unit.dp
import dev.countersign.sdk.screen.ScreenTexts

/**
 * Frame, advice, progress and close button on top of the camera's picture, [camera]. A [problem] replaces the
 * advice, and [allow] is the button that may solve it.
 */
@Composable
internal fun ScannerChrome(
    texts: ScreenTexts,
    problem: String?,
    allow: String?,
    onAllow: () -> Unit,
    isLoading: Boolean,
    onClose: () -> Unit,
    modifier: Modifier = Modifier,
    camera: @Composable (Modifier) -> Unit,
) {
    val direction = if (texts.isRightToLeft) LayoutDirection.Rtl else LayoutDirection.Ltr
    CompositionLocalProvider(LocalLayoutDirection provides direction) {
        Box(modifier.background(Color.Black)) {
            camera(Modifier.fillMaxSize())
            Frame()
            Box(Modifier.fillMaxSize().windowInsetsPadding(WindowInsets.safeDrawing).padding(24.dp)) {
                Text(
                    problem ?: if (isLoading) texts.opening else texts.pointCamera,
                    color = Color.White,
                    textAlign = TextAlign.Center,
                    style = MaterialTheme.typography.h6,
                    modifier =
                    Modifier
                        .align(Alignment.TopCenter)
                        .background(Color.Black.copy(alpha = SHADE_ALPHA), CORNERS)
                        .padding(horizontal = 16.dp, vertical = 12.dp)
                        .semantics { liveRegion = LiveRegionMode.Polite },
                )
                if (isLoading) {
                    CircularProgressIndicator(
                        Modifier.align(Alignment.Center).size(56.dp).semantics { contentDescription = texts.opening },
                        color = Color.White,
                    )
                }
                if (allow != null) ChromeButton(allow, null, Modifier.align(Alignment.Center), onAllow)
                ChromeButton(texts.close, Symbols.cross, Modifier.align(Alignment.BottomCenter), onClose)
            }
        }
    }
}

/** It looks the same on every picture and in every theme. */
@Composable
private fun ChromeButton(label: String, symbol: ImageVector?, modifier: Modifier, onClick: () -> Unit) {
    OutlinedButton(
        onClick = onClick,
        shape = CORNERS,
        border = BorderStroke(1.5.dp, Color.White),
        colors =
        ButtonDefaults.outlinedButtonColors(
            backgroundColor = Color.Black.copy(alpha = SHADE_ALPHA),
            contentColor = Color.White,
        ),
        modifier = modifier.heightIn(min = 56.dp),
    ) {
        symbol?.let {
            Icon(it, contentDescription = null, Modifier.size(20.dp))
            Spacer(Modifier.width(8.dp))
        }
        Text(label, style = MaterialTheme.typography.subtitle1, fontWeight = FontWeight.SemiBold)
    }
}

/** Darkens the picture outside a square, and marks the corners of the square. */
@Composable
private fun Frame() {
    Canvas(Modifier.fillMaxSize()) {
        val side = size.minDimension * FRAME_SHARE
        val square = Rect(Offset((size.width - side) / 2, (size.height - side) / 2), Size(side, side))
        val radius = RADIUS.toPx()
        val shade =
            Path().apply {
                fillType = PathFillType.EvenOdd
                addRect(Rect(Offset.Zero, size))
                addRoundRect(RoundRect(square, CornerRadius(radius)))
            }
        drawPath(shade, Color.Black.copy(alpha = SHADE_ALPHA))
        corners(square, radius)
    }
}

private fun DrawScope.corners(square: Rect, radius: Float) {
    val length = square.width * CORNER_SHARE
    for ((corner, x, y) in listOf(
        Triple(square.topLeft, 1, 1),
        Triple(square.topRight, -1, 1),
        Triple(square.bottomLeft, 1, -1),
        Triple(square.bottomRight, -1, -1),
    )) {
        val path =
            Path().apply {
                moveTo(corner.x, corner.y + y * length)
                lineTo(corner.x, corner.y + y * radius)
                quadraticTo(corner.x, corner.y, corner.x + x * radius, corner.y)
                lineTo(corner.x + x * length, corner.y)
            }
        drawPath(path, Color.White, style = Stroke(width = 4.dp.toPx(), cap = StrokeCap.Round))
    }
}

private val CORNERS = RoundedCornerShape(12.dp)
private val RADIUS = 20.dp
private const val FRAME_SHARE = 0.7f
private const val CORNER_SHARE = 0.18f
internal const val SHADE_ALPHA = 0.6f
