package dev.countersign.sdk.compose

import androidx.compose.foundation.ScrollState
import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.rememberScrollState
import androidx.compose.foundation.verticalScroll
import androidx.compose.material.Divider
import androidx.compose.material.LinearProgressIndicator
import androidx.compose.material.MaterialTheme
import androidx.compose.material.Text
import androidx.compose.runtime.Composable
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.remember
import androidx.compose.runtime.setValue
import androidx.compose.runtime.snapshotFlow
import androidx.compose.ui.Modifier
import androidx.compose.ui.platform.LocalDensity
import androidx.compose.ui.semantics.LiveRegionMode
import androidx.compose.ui.semantics.contentDescription
import androidx.compose.ui.semantics.liveRegion
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.unit.dp
import dev.countersign.sdk.screen.CONFIRM_DELAY_MILLIS
import dev.countersign.sdk.screen.ConfirmationContent
import dev.countersign.sdk.screen.Decision
import dev.countersign.sdk.screen.ScreenTexts
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.first

/**
 * Shows a login and asks for a decision. Confirming is possible one second after the screen opened, once
 * everything has been scrolled into view, and never if the risk is `deny`.
 */
@Composable
internal fun ConfirmationScreen(
    content: ConfirmationContent,
    texts: ScreenTexts,
    sending: Boolean,
    onDecision: (Decision) -> Unit,
    modifier: Modifier = Modifier,
    shown: Boolean = true,
) {
    val scroll = rememberScrollState()
    val obstacle = obstacle(content, texts, scroll, shown)
    Column(modifier.fillMaxWidth()) {
        Column(
            Modifier
                .weight(1f, fill = false)
                .verticalScroll(scroll)
                .padding(horizontal = 24.dp, vertical = END_MARGIN),
            verticalArrangement = Arrangement.spacedBy(16.dp),
        ) {
            ConfirmationDetails(content, texts)
        }
        Divider()
        if (sending) {
            LinearProgressIndicator(
                Modifier.fillMaxWidth().semantics { contentDescription = texts.sending },
            )
        }
        Column(
            Modifier.padding(horizontal = 24.dp, vertical = 12.dp),
            verticalArrangement = Arrangement.spacedBy(8.dp),
        ) {
            val hint = if (content.canConfirm) obstacle else texts.refused
            if (hint != null) {
                Text(
                    hint,
                    style = MaterialTheme.typography.body2,
                    modifier = Modifier.semantics { liveRegion = LiveRegionMode.Polite },
                )
            }
            DecisionButtons(
                texts = texts,
                canConfirm = content.canConfirm,
                confirmObstacle = obstacle,
                enabled = !sending,
                onDecision = onDecision,
            )
        }
    }
}

/** Returns why the person cannot confirm yet, or null. */
@Composable
private fun obstacle(
    content: ConfirmationContent,
    texts: ScreenTexts,
    scroll: ScrollState,
    shown: Boolean,
): String? {
    var waited by remember(content) { mutableStateOf(false) }
    var read by remember(content) { mutableStateOf(false) }
    LaunchedEffect(content, shown) {
        if (!shown) return@LaunchedEffect
        delay(CONFIRM_DELAY_MILLIS)
        waited = true
    }
    val margin = with(LocalDensity.current) { END_MARGIN.roundToPx() }
    LaunchedEffect(content, shown) {
        if (!shown) return@LaunchedEffect
        snapshotFlow { scroll.viewportSize > 0 && scroll.value >= scroll.maxValue - margin }.first { it }
        read = true
    }
    return when {
        !read -> texts.readToEnd
        !waited -> texts.wait
        else -> null
    }
}

/** Empty space under the last fact, which need not be scrolled into view. */
private val END_MARGIN = 16.dp
