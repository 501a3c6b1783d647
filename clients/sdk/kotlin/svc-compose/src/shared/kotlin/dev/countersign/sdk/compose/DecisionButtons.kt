package dev.countersign.sdk.compose

import androidx.compose.foundation.BorderStroke
import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.PaddingValues
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.Spacer
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.heightIn
import androidx.compose.foundation.layout.size
import androidx.compose.foundation.layout.width
import androidx.compose.foundation.shape.RoundedCornerShape
import androidx.compose.material.ButtonDefaults
import androidx.compose.material.Icon
import androidx.compose.material.MaterialTheme
import androidx.compose.material.OutlinedButton
import androidx.compose.material.Text
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import androidx.compose.ui.graphics.vector.ImageVector
import androidx.compose.ui.platform.LocalDensity
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.semantics.stateDescription
import androidx.compose.ui.text.font.FontWeight
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
        SheetButton(texts.deny, modifier, Symbols.cross, enabled) { onDecision(Decision.DENY) }
        if (canConfirm) {
            SheetButton(texts.confirm, modifier, Symbols.check, enabled && confirmObstacle == null, confirmObstacle) {
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

/** A button of a sheet. [state] says why it is disabled. */
@Composable
internal fun SheetButton(
    label: String,
    modifier: Modifier = Modifier,
    symbol: ImageVector? = null,
    enabled: Boolean = true,
    state: String? = null,
    onClick: () -> Unit,
) {
    val colors = LocalSheetColors.current
    OutlinedButton(
        onClick = onClick,
        enabled = enabled,
        shape = RoundedCornerShape(12.dp),
        border = BorderStroke(1.5.dp, if (enabled) colors.outline else colors.line),
        colors =
            ButtonDefaults.outlinedButtonColors(
                backgroundColor = colors.background,
                contentColor = colors.action,
            ),
        contentPadding = PaddingValues(horizontal = 12.dp, vertical = 8.dp),
        modifier = modifier.heightIn(min = 56.dp).semantics { state?.let { stateDescription = it } },
    ) {
        symbol?.let {
            Icon(it, contentDescription = null, Modifier.size(20.dp))
            Spacer(Modifier.width(8.dp))
        }
        Text(
            label,
            style = MaterialTheme.typography.subtitle1,
            fontWeight = FontWeight.SemiBold,
            textAlign = TextAlign.Center,
        )
    }
}
