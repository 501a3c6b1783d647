package dev.countersign.sdk.compose

import androidx.compose.foundation.background
import androidx.compose.foundation.border
import androidx.compose.foundation.layout.Box
import androidx.compose.foundation.layout.aspectRatio
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.heightIn
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.shape.RoundedCornerShape
import androidx.compose.material.Button
import androidx.compose.material.CircularProgressIndicator
import androidx.compose.material.Text
import androidx.compose.runtime.Composable
import androidx.compose.ui.Alignment
import androidx.compose.ui.Modifier
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.semantics.contentDescription
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.text.style.TextAlign
import androidx.compose.ui.unit.dp
import dev.countersign.sdk.screen.ScreenTexts

/** Frame, advice, progress and close button above the camera's picture, which is [camera]. */
@Composable
internal fun ScannerChrome(
    texts: ScreenTexts,
    isLoading: Boolean,
    onClose: () -> Unit,
    modifier: Modifier = Modifier,
    camera: @Composable (Modifier) -> Unit,
) {
    Box(modifier.background(Color.Black)) {
        camera(Modifier.fillMaxSize())
        Box(
            Modifier
                .align(Alignment.Center)
                .fillMaxWidth(FRAME_SHARE)
                .aspectRatio(1f)
                .border(3.dp, Color.White, RoundedCornerShape(16.dp)),
        )
        Text(
            texts.pointCamera,
            color = Color.White,
            textAlign = TextAlign.Center,
            modifier =
                Modifier
                    .align(Alignment.TopCenter)
                    .fillMaxWidth()
                    .background(Color.Black.copy(alpha = SHADE_ALPHA))
                    .padding(24.dp),
        )
        if (isLoading) {
            CircularProgressIndicator(
                Modifier.align(Alignment.Center).semantics { contentDescription = texts.sending },
                color = Color.White,
            )
        }
        Button(
            onClick = onClose,
            modifier = Modifier.align(Alignment.BottomCenter).padding(24.dp).heightIn(min = 52.dp),
        ) {
            Text(texts.close)
        }
    }
}

private const val FRAME_SHARE = 0.7f
private const val SHADE_ALPHA = 0.6f
