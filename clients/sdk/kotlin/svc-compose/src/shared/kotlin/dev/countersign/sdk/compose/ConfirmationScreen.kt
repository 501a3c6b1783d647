package dev.countersign.sdk.compose

import androidx.compose.foundation.ScrollState
import androidx.compose.foundation.background
import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Box
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.ColumnScope
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.height
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.layout.size
import androidx.compose.foundation.rememberScrollState
import androidx.compose.foundation.shape.CircleShape
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
import androidx.compose.ui.Alignment
import androidx.compose.ui.Modifier
import androidx.compose.ui.draw.alpha
import androidx.compose.ui.platform.LocalDensity
import androidx.compose.ui.semantics.LiveRegionMode
import androidx.compose.ui.semantics.clearAndSetSemantics
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
        Handle()
        Column(
            Modifier
                .weight(1f, fill = false)
                .verticalScroll(scroll)
                .padding(horizontal = 24.dp)
                .padding(top = 8.dp, bottom = END_MARGIN),
            verticalArrangement = Arrangement.spacedBy(16.dp),
        ) {
            ConfirmationDetails(content, texts)
        }
        Progress(sending, texts)
        Column(
            Modifier.padding(horizontal = 24.dp).padding(top = 8.dp, bottom = 16.dp),
            verticalArrangement = Arrangement.spacedBy(8.dp),
        ) {
            Hint(content, texts, if (sending) texts.sending else obstacle)
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

/** Shows that the sheet can be pulled down. */
@Composable
internal fun ColumnScope.Handle() {
    Box(
        Modifier
            .align(Alignment.CenterHorizontally)
            .padding(vertical = 12.dp)
            .size(width = 36.dp, height = 4.dp)
            .background(LocalSheetColors.current.outline, CircleShape),
    )
}

/** A line that moves while the answer is being sent. */
@Composable
private fun Progress(sending: Boolean, texts: ScreenTexts) {
    Box(Modifier.fillMaxWidth().height(4.dp), contentAlignment = Alignment.BottomCenter) {
        if (sending) {
            LinearProgressIndicator(
                Modifier.fillMaxWidth().semantics { contentDescription = texts.sending },
                color = LocalSheetColors.current.action,
            )
        } else {
            Divider(color = LocalSheetColors.current.line)
        }
    }
}

/** Says why the user cannot confirm. Its space is reserved, so that the buttons never move under a finger. */
@Composable
private fun Hint(content: ConfirmationContent, texts: ScreenTexts, hint: String?) {
    val all = if (content.canConfirm) listOf(texts.readToEnd, texts.wait, texts.sending) else listOf(texts.refused)
    val shown = if (content.canConfirm) hint else texts.refused
    Box(contentAlignment = Alignment.CenterStart) {
        all.forEach {
            Text(it, Modifier.alpha(0f).clearAndSetSemantics { }, style = MaterialTheme.typography.body2)
        }
        Text(
            shown.orEmpty(),
            Modifier.semantics { liveRegion = LiveRegionMode.Polite },
            style = MaterialTheme.typography.body2,
        )
    }
}

/** Returns why the user cannot confirm yet, or null. */
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
    val margin = with(LocalDensity.current) { (END_MARGIN + CARD_PADDING).roundToPx() }
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

/** Empty space below the last card. Neither this space nor that of the card has to be scrolled into view. */
private val END_MARGIN = 16.dp
