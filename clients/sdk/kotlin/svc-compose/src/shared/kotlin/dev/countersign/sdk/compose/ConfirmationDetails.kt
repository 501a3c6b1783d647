package dev.countersign.sdk.compose

import androidx.compose.foundation.BorderStroke
import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.padding
import androidx.compose.material.MaterialTheme
import androidx.compose.material.Surface
import androidx.compose.material.Text
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.semantics.heading
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.text.font.FontWeight
import androidx.compose.ui.text.style.TextDirection
import androidx.compose.ui.unit.dp
import dev.countersign.sdk.Severity
import dev.countersign.sdk.screen.ConfirmationContent
import dev.countersign.sdk.screen.ScreenTexts

/** Everything that the person must see, from the question to the flags. */
@Composable
internal fun ConfirmationDetails(content: ConfirmationContent, texts: ScreenTexts) {
    Text(
        content.title,
        style = MaterialTheme.typography.h6,
        modifier = Modifier.semantics { heading() },
    )
    Text(content.message, style = MaterialTheme.typography.body1)
    if (content.context.isNotEmpty()) Approved(content.context, texts)
    content.flags.filter { it.severity != Severity.INFO }.forEach { Flag(it) }
    content.rows.forEach { Fact(it) }
    content.flags.filter { it.severity == Severity.INFO }.forEach { Flag(it) }
}

/** The text that the person approves. Each line has its own direction. */
@Composable
private fun Approved(lines: List<String>, texts: ScreenTexts) {
    Surface(
        Modifier.fillMaxWidth(),
        border = BorderStroke(2.dp, MaterialTheme.colors.onSurface),
    ) {
        Column(Modifier.padding(12.dp)) {
            Label(texts.context)
            lines.forEach { line ->
                Text(line, style = MaterialTheme.typography.body1.copy(textDirection = TextDirection.Content))
            }
        }
    }
}

/** A fact under its label. TalkBack reads both as one. */
@Composable
private fun Fact(row: ConfirmationContent.Row) {
    Column(Modifier.semantics(mergeDescendants = true) {}, verticalArrangement = Arrangement.spacedBy(2.dp)) {
        Label(row.label)
        val direction = if (row.isAddress) TextDirection.Ltr else TextDirection.Content
        Text(
            row.value,
            style = MaterialTheme.typography.body1.copy(textDirection = direction),
            fontWeight = FontWeight.Medium,
        )
        row.issue?.let { Text(it, style = MaterialTheme.typography.body2) }
    }
}

@Composable
private fun Label(text: String) {
    Text(
        text,
        style = MaterialTheme.typography.caption,
        color = MaterialTheme.colors.onSurface.copy(alpha = LABEL_ALPHA),
    )
}

/** A flag with its severity as a word, so that colour alone tells nothing. */
@Composable
private fun Flag(flag: ConfirmationContent.Notice) {
    val tint = tint(flag.severity)
    Surface(
        Modifier.fillMaxWidth().semantics(mergeDescendants = true) {},
        color = tint.copy(alpha = TINT_ALPHA),
        border = BorderStroke(1.dp, tint),
        shape = MaterialTheme.shapes.small,
        contentColor = MaterialTheme.colors.onSurface,
    ) {
        Column(Modifier.padding(12.dp)) {
            Text(flag.heading, style = MaterialTheme.typography.subtitle2, fontWeight = FontWeight.Bold)
            Text(flag.text, style = MaterialTheme.typography.body2)
        }
    }
}

@Composable
private fun tint(severity: Severity): Color =
    when (severity) {
        Severity.INFO -> MaterialTheme.colors.onSurface.copy(alpha = LABEL_ALPHA)
        Severity.WARN -> if (MaterialTheme.colors.isLight) Color(AMBER_DARK) else Color(AMBER_LIGHT)
        Severity.DENY -> if (MaterialTheme.colors.isLight) Color(RED_DARK) else Color(RED_LIGHT)
    }

private const val LABEL_ALPHA = 0.74f
private const val TINT_ALPHA = 0.14f
private const val AMBER_DARK = 0xFF9A5B00
private const val AMBER_LIGHT = 0xFFFFC166
private const val RED_DARK = 0xFFB3261E
private const val RED_LIGHT = 0xFFFF8A80
