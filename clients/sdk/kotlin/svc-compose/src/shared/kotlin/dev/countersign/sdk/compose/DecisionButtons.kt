package dev.countersign.sdk.compose

import androidx.compose.foundation.BorderStroke
import androidx.compose.foundation.layout.PaddingValues
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
import androidx.compose.ui.layout.IntrinsicMeasurable
import androidx.compose.ui.layout.IntrinsicMeasureScope
import androidx.compose.ui.layout.Layout
import androidx.compose.ui.layout.Measurable
import androidx.compose.ui.layout.MeasurePolicy
import androidx.compose.ui.layout.MeasureResult
import androidx.compose.ui.layout.MeasureScope
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.semantics.stateDescription
import androidx.compose.ui.text.font.FontWeight
import androidx.compose.ui.text.style.TextAlign
import androidx.compose.ui.unit.Constraints
import androidx.compose.ui.unit.Density
import androidx.compose.ui.unit.dp
import dev.countersign.sdk.screen.Decision
import dev.countersign.sdk.screen.ScreenTexts

/** Both decisions as buttons of the same size and appearance. */
@Composable
internal fun DecisionButtons(
    texts: ScreenTexts,
    canConfirm: Boolean,
    confirmObstacle: String?,
    enabled: Boolean,
    onDecision: (Decision) -> Unit,
) {
    EqualSizes {
        SheetButton(texts.deny, Modifier, Symbols.cross, enabled) { onDecision(Decision.DENY) }
        if (canConfirm) {
            SheetButton(texts.confirm, Modifier, Symbols.check, enabled && confirmObstacle == null, confirmObstacle) {
                onDecision(Decision.CONFIRM)
            }
        }
    }
}

/** Gives all children the same size: side by side if that breaks no line, otherwise one above the other. */
@Composable
private fun EqualSizes(content: @Composable () -> Unit) {
    Layout(content, Modifier.fillMaxWidth(), EqualSizesPolicy)
}

private object EqualSizesPolicy : MeasurePolicy {
    override fun MeasureScope.measure(measurables: List<Measurable>, constraints: Constraints): MeasureResult {
        val space = SPACE.roundToPx()
        val isRow = isRow(measurables, constraints.maxWidth)
        val columns = if (isRow) measurables.size else 1
        val width = (constraints.maxWidth - space * (columns - 1)) / columns
        val height = measurables.maxOf { it.maxIntrinsicHeight(width) }
        val buttons = measurables.map { it.measure(Constraints.fixed(width, height)) }
        val rows = if (isRow) 1 else buttons.size
        return layout(constraints.maxWidth, height * rows + space * (rows - 1)) {
            buttons.forEachIndexed { index, button ->
                val step = index * ((if (isRow) width else height) + space)
                if (isRow) button.placeRelative(step, 0) else button.placeRelative(0, step)
            }
        }
    }

    override fun IntrinsicMeasureScope.maxIntrinsicHeight(measurables: List<IntrinsicMeasurable>, width: Int): Int {
        val space = SPACE.roundToPx()
        val isRow = isRow(measurables, width)
        val columns = if (isRow) measurables.size else 1
        val height = measurables.maxOf { it.maxIntrinsicHeight((width - space * (columns - 1)) / columns) }
        val rows = if (isRow) 1 else measurables.size
        return height * rows + space * (rows - 1)
    }

    private fun Density.isRow(children: List<IntrinsicMeasurable>, width: Int): Boolean {
        val widest = children.maxOf { it.maxIntrinsicWidth(Constraints.Infinity) }
        return widest * children.size + SPACE.roundToPx() * (children.size - 1) <= width
    }

    private val SPACE = 12.dp
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
