package dev.countersign.sdk.compose

import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.heightIn
import androidx.compose.material.OutlinedButton
import androidx.compose.material.Text
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import androidx.compose.ui.platform.LocalDensity
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.semantics.stateDescription
import androidx.compose.ui.text.style.TextAlign
import androidx.compose.ui.unit.dp
import dev.countersign.sdk.screen.Decision
import dev.countersign.sdk.screen.ScreenTexts

/** Both decisions as buttons of the same size and look; one above the other if the text is large. */
@Composable
internal fun DecisionButtons(
    texts: ScreenTexts,
    canConfirm: Boolean,
    confirmObstacle: String?,
    enabled: Boolean,
    onDecision: (Decision) -> Unit,
) {
    val buttons: @Composable (Modifier) -> Unit = { modifier ->
        DecisionButton(texts.deny, enabled, null, modifier) { onDecision(Decision.DENY) }
        if (canConfirm) {
            DecisionButton(texts.confirm, enabled && confirmObstacle == null, confirmObstacle, modifier) {
                onDecision(Decision.CONFIRM)
            }
        }
    }
    if (LocalDensity.current.fontScale >= STACKED_FROM_SCALE) {
        Column(verticalArrangement = Arrangement.spacedBy(8.dp)) { buttons(Modifier.fillMaxWidth()) }
    } else {
        Row(Modifier.fillMaxWidth(), horizontalArrangement = Arrangement.spacedBy(12.dp)) {
            buttons(Modifier.weight(1f))
        }
    }
}

@Composable
private fun DecisionButton(
    label: String,
    enabled: Boolean,
    state: String?,
    modifier: Modifier,
    onClick: () -> Unit,
) {
    OutlinedButton(
        onClick = onClick,
        enabled = enabled,
        modifier = modifier.heightIn(min = 52.dp).semantics { state?.let { stateDescription = it } },
    ) {
        Text(label, textAlign = TextAlign.Center)
    }
}

private const val STACKED_FROM_SCALE = 1.5f
