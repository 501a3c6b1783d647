package dev.countersign.sdk.compose

import androidx.compose.foundation.background
import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.rememberScrollState
import androidx.compose.foundation.shape.RoundedCornerShape
import androidx.compose.foundation.verticalScroll
import androidx.compose.material.MaterialTheme
import androidx.compose.material.Text
import androidx.compose.runtime.Composable
import androidx.compose.ui.Alignment
import androidx.compose.ui.Modifier
import androidx.compose.ui.semantics.LiveRegionMode
import androidx.compose.ui.semantics.contentDescription
import androidx.compose.ui.semantics.heading
import androidx.compose.ui.semantics.liveRegion
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.text.font.FontWeight
import androidx.compose.ui.text.style.TextAlign
import androidx.compose.ui.unit.dp
import dev.countersign.sdk.screen.ScreenTexts

/** Shows the check code, which the user types in the browser after confirming. */
@Composable
internal fun CheckCodeScreen(code: String, texts: ScreenTexts, onClose: () -> Unit, modifier: Modifier = Modifier) {
    val colors = LocalSheetColors.current
    Column(modifier.fillMaxWidth()) {
        Handle()
        Column(
            Modifier
                .fillMaxWidth()
                .weight(1f, fill = false)
                .verticalScroll(rememberScrollState())
                .padding(horizontal = 24.dp),
            verticalArrangement = Arrangement.spacedBy(24.dp),
            horizontalAlignment = Alignment.CenterHorizontally,
        ) {
            Text(
                texts.checkCode,
                Modifier.padding(top = 8.dp).semantics { heading() },
                style = MaterialTheme.typography.h6,
                textAlign = TextAlign.Center,
            )
            Text(
                code,
                Modifier
                    .background(colors.card, RoundedCornerShape(16.dp))
                    .padding(horizontal = 32.dp, vertical = 12.dp)
                    .semantics {
                        liveRegion = LiveRegionMode.Polite
                        // Read digit by digit.
                        contentDescription = code.toList().joinToString(" ")
                    },
                style = MaterialTheme.typography.h2,
                fontWeight = FontWeight.SemiBold,
            )
        }
        SheetButton(
            texts.close,
            Modifier.fillMaxWidth().padding(start = 24.dp, top = 24.dp, end = 24.dp, bottom = 16.dp),
            onClick = onClose,
        )
    }
}
