package dev.countersign.sdk.compose

import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.heightIn
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.rememberScrollState
import androidx.compose.foundation.verticalScroll
import androidx.compose.material.MaterialTheme
import androidx.compose.material.OutlinedButton
import androidx.compose.material.Text
import androidx.compose.runtime.Composable
import androidx.compose.ui.Alignment
import androidx.compose.ui.Modifier
import androidx.compose.ui.semantics.LiveRegionMode
import androidx.compose.ui.semantics.contentDescription
import androidx.compose.ui.semantics.liveRegion
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.text.style.TextAlign
import androidx.compose.ui.unit.dp
import dev.countersign.sdk.screen.ScreenTexts

/** Shows the check code, which the person types at the browser after confirming. */
@Composable
internal fun CheckCodeScreen(code: String, texts: ScreenTexts, onClose: () -> Unit, modifier: Modifier = Modifier) {
    Column(
        modifier.fillMaxWidth().verticalScroll(rememberScrollState()).padding(24.dp),
        verticalArrangement = Arrangement.spacedBy(16.dp),
        horizontalAlignment = Alignment.CenterHorizontally,
    ) {
        Text(texts.checkCode, style = MaterialTheme.typography.h6, textAlign = TextAlign.Center)
        Text(
            code,
            style = MaterialTheme.typography.h2,
            modifier =
                Modifier.semantics {
                    liveRegion = LiveRegionMode.Polite
                    // Read digit by digit.
                    contentDescription = code.toList().joinToString(" ")
                },
        )
        OutlinedButton(onClick = onClose, modifier = Modifier.fillMaxWidth().heightIn(min = 52.dp)) {
            Text(texts.close)
        }
    }
}
