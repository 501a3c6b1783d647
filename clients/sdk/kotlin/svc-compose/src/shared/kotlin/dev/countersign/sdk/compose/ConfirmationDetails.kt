package dev.countersign.sdk.compose

import androidx.compose.foundation.BorderStroke
import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.layout.size
import androidx.compose.foundation.shape.RoundedCornerShape
import androidx.compose.material.Divider
import androidx.compose.material.Icon
import androidx.compose.material.MaterialTheme
import androidx.compose.material.Surface
import androidx.compose.material.Text
import androidx.compose.runtime.Composable
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.remember
import androidx.compose.runtime.setValue
import androidx.compose.ui.Alignment
import androidx.compose.ui.Modifier
import androidx.compose.ui.graphics.vector.ImageVector
import androidx.compose.ui.platform.LocalDensity
import androidx.compose.ui.semantics.clearAndSetSemantics
import androidx.compose.ui.semantics.getTextLayoutResult
import androidx.compose.ui.semantics.heading
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.semantics.text
import androidx.compose.ui.text.AnnotatedString
import androidx.compose.ui.text.TextLayoutResult
import androidx.compose.ui.text.TextStyle
import androidx.compose.ui.text.font.FontWeight
import androidx.compose.ui.text.rememberTextMeasurer
import androidx.compose.ui.text.style.TextDirection
import androidx.compose.ui.unit.TextUnit
import androidx.compose.ui.unit.dp
import androidx.compose.ui.unit.sp
import dev.countersign.sdk.Severity
import dev.countersign.sdk.screen.ConfirmationContent
import dev.countersign.sdk.screen.ScreenTexts

/** Everything that the user must see, from the question to the flags. */
@Composable
internal fun ConfirmationDetails(content: ConfirmationContent, texts: ScreenTexts) {
    Column(verticalArrangement = Arrangement.spacedBy(8.dp)) {
        Text(
            content.title,
            style = MaterialTheme.typography.h5,
            fontWeight = FontWeight.Bold,
            modifier = Modifier.semantics { heading() },
        )
        Text(content.message, style = MaterialTheme.typography.body2, color = LocalSheetColors.current.label)
    }
    content.flags.filter { it.severity != Severity.INFO }.forEach { Flag(it) }
    if (content.context.isNotEmpty()) Approved(content.context, texts)
    Facts(content, texts)
    content.flags.filter { it.severity == Severity.INFO }.forEach { Flag(it) }
}

/** The text that the user approves. Each line has its own direction. */
@Composable
private fun Approved(lines: List<String>, texts: ScreenTexts) {
    val colors = LocalSheetColors.current
    Surface(
        Modifier.fillMaxWidth(),
        color = colors.background,
        contentColor = colors.text,
        border = BorderStroke(2.dp, colors.text),
        shape = CARD,
    ) {
        Column(Modifier.padding(16.dp), verticalArrangement = Arrangement.spacedBy(4.dp)) {
            Text(
                texts.context,
                style = MaterialTheme.typography.subtitle2,
                color = colors.label,
                modifier = Modifier.semantics { heading() },
            )
            lines.forEach { Text(it, style = value().copy(textDirection = TextDirection.Content)) }
        }
    }
}

/** Site, app, both places side by side, and the browser. */
@Composable
private fun Facts(content: ConfirmationContent, texts: ScreenTexts) {
    val colors = LocalSheetColors.current
    val (site, app, phone, place, browser) = content.rows
    Surface(Modifier.fillMaxWidth(), color = colors.card, contentColor = colors.text, shape = CARD) {
        Column(Modifier.padding(CARD_PADDING), verticalArrangement = Arrangement.spacedBy(12.dp)) {
            Fact(content, texts, site, MaterialTheme.typography.h6)
            Fact(content, texts, app)
            Divider(color = colors.line)
            if (LocalDensity.current.fontScale >= STACKED_FROM_SCALE) {
                Fact(content, texts, phone, symbol = Symbols.phone)
                Fact(content, texts, place, symbol = Symbols.screen)
            } else {
                Row(horizontalArrangement = Arrangement.spacedBy(16.dp)) {
                    Fact(content, texts, phone, symbol = Symbols.phone, modifier = Modifier.weight(1f))
                    Fact(content, texts, place, symbol = Symbols.screen, modifier = Modifier.weight(1f))
                }
            }
            content.attributions.forEach {
                Text(it, style = MaterialTheme.typography.caption, color = colors.label)
            }
            Divider(color = colors.line)
            Fact(content, texts, browser)
        }
    }
}

/** A fact below its label. TalkBack reads both as one. */
@Composable
private fun Fact(
    content: ConfirmationContent,
    texts: ScreenTexts,
    row: ConfirmationContent.Row,
    style: TextStyle = value(),
    symbol: ImageVector? = null,
    modifier: Modifier = Modifier,
) {
    val colors = LocalSheetColors.current
    Column(modifier.semantics(mergeDescendants = true) {}, verticalArrangement = Arrangement.spacedBy(4.dp)) {
        Beside(symbol) {
            Text(row.label, style = MaterialTheme.typography.caption, color = colors.label)
        }
        Row(verticalAlignment = Alignment.CenterVertically, horizontalArrangement = Arrangement.spacedBy(6.dp)) {
            val place = Modifier.weight(1f, fill = false)
            if (row.isAddress) Address(row, style, place) else Value(row.value, style, place)
            if (row.issue != null) {
                Icon(Symbols.of(Severity.WARN), texts.warning, Modifier.size(20.dp), colors.signal(Severity.WARN))
            }
        }
        // Often the sentence of a flag, which is already shown above.
        row.issue?.takeIf { issue -> content.flags.none { it.text == issue } }?.let {
            Text(it, style = MaterialTheme.typography.body2)
        }
    }
}

@Composable
private fun Value(value: String, style: TextStyle, modifier: Modifier) {
    val content = style.copy(textDirection = TextDirection.Content)
    Text(value, style = content, fontWeight = FontWeight.SemiBold, modifier = modifier)
}

/**
 * An address in letters so small that no line ends inside a name: otherwise, it would show a name other than the
 * site's.
 */
@Composable
private fun Address(row: ConfirmationContent.Row, style: TextStyle, modifier: Modifier) {
    val full = style.copy(textDirection = TextDirection.Ltr, fontWeight = FontWeight.SemiBold)
    val measurer = rememberTextMeasurer()
    fun fits(size: TextUnit, room: Int) =
        row.displayParts.all { measurer.measure(it, full.copy(fontSize = size), softWrap = false).size.width <= room }
    var size by remember(row.display, full) { mutableStateOf(full.fontSize) }
    var lines by remember { mutableStateOf<TextLayoutResult?>(null) }
    Text(
        row.display,
        style = full.copy(fontSize = size, lineHeight = TextUnit.Unspecified),
        onTextLayout = { layout ->
            val room = layout.layoutInput.constraints.maxWidth
            // Widths do not grow exactly with the size, because glyphs are rounded to pixels.
            size = generateSequence(1f) { it * STEP }.map { full.fontSize * it }
                .first { fits(it, room) || it < SMALLEST }
            lines = layout
        },
        modifier = modifier.clearAndSetSemantics {
            text = AnnotatedString(row.value)
            getTextLayoutResult { results -> lines?.let(results::add) ?: false }
        },
    )
}

private const val STEP = 0.96f

/** Even a name of 63 letters, the maximum in DNS, does not need smaller ones. */
private val SMALLEST = 2.sp

/** A flag with its severity as a word and a symbol, not only as a color. */
@Composable
private fun Flag(flag: ConfirmationContent.Notice) {
    val colors = LocalSheetColors.current
    val signal = colors.signal(flag.severity)
    Surface(
        Modifier.fillMaxWidth().semantics(mergeDescendants = true) {},
        color = colors.ground(flag.severity),
        border = if (flag.severity == Severity.INFO) null else BorderStroke(1.5.dp, signal),
        shape = CARD,
        contentColor = colors.text,
    ) {
        Row(Modifier.padding(16.dp), horizontalArrangement = Arrangement.spacedBy(12.dp)) {
            Icon(Symbols.of(flag.severity), contentDescription = null, tint = signal)
            Column(verticalArrangement = Arrangement.spacedBy(2.dp)) {
                Text(flag.heading, style = value(), fontWeight = FontWeight.Bold, color = signal)
                Text(flag.text, style = MaterialTheme.typography.body2)
            }
        }
    }
}

@Composable
private fun Beside(symbol: ImageVector?, text: @Composable () -> Unit) {
    Row(verticalAlignment = Alignment.CenterVertically, horizontalArrangement = Arrangement.spacedBy(4.dp)) {
        symbol?.let { Icon(it, contentDescription = null, Modifier.size(16.dp), LocalSheetColors.current.label) }
        text()
    }
}

@Composable
private fun value(): TextStyle = MaterialTheme.typography.subtitle1

internal const val STACKED_FROM_SCALE = 1.3f

/** Space around the facts in their card. */
internal val CARD_PADDING = 16.dp
private val CARD = RoundedCornerShape(12.dp)
