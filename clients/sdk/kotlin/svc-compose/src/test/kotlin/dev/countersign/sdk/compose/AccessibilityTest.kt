package dev.countersign.sdk.compose

import androidx.compose.foundation.layout.Box
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.material.MaterialTheme
import androidx.compose.material.ModalBottomSheetValue
import androidx.compose.material.rememberModalBottomSheetState
import androidx.compose.runtime.CompositionLocalProvider
import androidx.compose.runtime.rememberCoroutineScope
import androidx.compose.ui.Modifier
import androidx.compose.ui.geometry.Size
import androidx.compose.ui.platform.LocalDensity
import androidx.compose.ui.semantics.LiveRegionMode
import androidx.compose.ui.semantics.SemanticsActions
import androidx.compose.ui.semantics.SemanticsNode
import androidx.compose.ui.semantics.SemanticsProperties
import androidx.compose.ui.test.ExperimentalTestApi
import androidx.compose.ui.test.SemanticsMatcher
import androidx.compose.ui.test.SkikoComposeUiTest
import androidx.compose.ui.test.assert
import androidx.compose.ui.test.assertContentDescriptionEquals
import androidx.compose.ui.test.isHeading
import androidx.compose.ui.test.onNodeWithContentDescription
import androidx.compose.ui.test.onNodeWithText
import androidx.compose.ui.test.onRoot
import androidx.compose.ui.test.performClick
import androidx.compose.ui.test.v2.runSkikoComposeUiTest
import androidx.compose.ui.text.TextLayoutResult
import androidx.compose.ui.unit.Density
import dev.countersign.sdk.RiskStatus
import dev.countersign.sdk.screen.ScreenTexts
import kotlinx.coroutines.CompletableDeferred
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

@OptIn(ExperimentalTestApi::class)
class AccessibilityTest {
    private fun sheet(
        session: FakeSession,
        language: String = "en",
        fontScale: Float = 1f,
        size: Size = Size(360f, 720f),
        test: SkikoComposeUiTest.() -> Unit,
    ) = runSkikoComposeUiTest(size, Density(1f)) {
        session.clock = { mainClock.currentTime }
        setContent {
            CompositionLocalProvider(LocalDensity provides Density(1f, fontScale)) {
                MaterialTheme {
                    val state = rememberModalBottomSheetState(ModalBottomSheetValue.Hidden, skipHalfExpanded = true)
                    Box(Modifier.fillMaxSize()) {
                        val texts = ScreenTexts.of(language)
                        val scope = rememberCoroutineScope()
                        ConfirmationSheet(state, scope, session, "", texts, NO_PAGE, OpenLogins()) {}
                    }
                }
            }
        }
        mainClock.advanceTimeBy(2_500)
        test()
    }

    private fun SkikoComposeUiTest.nodes(unmerged: Boolean = false): List<SemanticsNode> {
        fun all(node: SemanticsNode): List<SemanticsNode> = listOf(node) + node.children.flatMap(::all)
        return all(onRoot(unmerged).fetchSemanticsNode())
    }

    private val isPolite = SemanticsMatcher.expectValue(SemanticsProperties.LiveRegion, LiveRegionMode.Polite)

    @Test
    fun question_and_approved_text_have_headings() = sheet(FakeSession(context = "Pay 20 EUR")) {
        onNodeWithText("Log in to shop.example?").assert(isHeading())
        onNodeWithText("What you approve").assert(isHeading())
    }

    @Test
    fun fact_is_read_with_its_label_and_its_warning() = sheet(FakeSession()) {
        val place = onNodeWithText("Lagos, NG").fetchSemanticsNode().config
        val texts = place[SemanticsProperties.Text].map { it.text }
        assertEquals(listOf("The browser is in", "Lagos, NG", ENGLISH_TEMPLATE.widget.issue), texts)
        assertEquals(listOf("Warning"), place[SemanticsProperties.ContentDescription])
    }

    @Test
    fun flag_is_read_with_its_severity() = sheet(FakeSession(risk = RiskStatus.DENY, flags = listOf(DANGER))) {
        val flag = onNodeWithText(DANGER.text).fetchSemanticsNode().config
        assertEquals(listOf("Danger", DANGER.text), flag[SemanticsProperties.Text].map { it.text })
    }

    @Test
    fun reason_for_no_confirm_button_is_announced() = sheet(
        FakeSession(risk = RiskStatus.DENY, flags = listOf(DANGER)),
    ) {
        onNodeWithText("This login cannot be confirmed, because the risk is too high.").assert(isPolite)
    }

    @Test
    fun disabled_confirm_button_says_why() = sheet(FakeSession(context = "line\n".repeat(11) + "last")) {
        val confirm = onNodeWithText("Confirm").fetchSemanticsNode().config
        assertEquals("Scroll to the end to confirm.", confirm[SemanticsProperties.StateDescription])
        onNodeWithText("Scroll to the end to confirm.").assert(isPolite)
    }

    @Test
    fun sending_is_announced() {
        val session = FakeSession().apply { gate = CompletableDeferred() }
        sheet(session) {
            onNodeWithText("Deny").performClick()
            mainClock.advanceTimeBy(500)
            onNodeWithText("Sending your answer").assert(isPolite)
            onNodeWithContentDescription("Sending your answer").assertExists()
        }
    }

    @Test
    fun check_code_is_read_digit_by_digit() = sheet(FakeSession(checkCode = "42")) {
        onNodeWithText("Confirm").performClick()
        mainClock.advanceTimeBy(1_500)
        onNodeWithText("42").assertContentDescriptionEquals("4 2").assert(isPolite)
        onNodeWithText("Type this code at the browser:").assert(isHeading())
    }

    @Test
    fun everything_that_can_be_tapped_is_48_dp_high_and_named() = sheet(FakeSession()) {
        val buttons = nodes().filter { SemanticsActions.OnClick in it.config && SemanticsProperties.Role in it.config }
        assertEquals(2, buttons.size)
        for (button in buttons) {
            assertTrue("$button", button.touchBoundsInRoot.height >= 48f)
            assertTrue("$button", SemanticsProperties.Text in button.config)
        }
    }

    /** A pixel is lost to rounding. */
    private fun isCut(layout: TextLayoutResult): Boolean =
        layout.multiParagraph.height > layout.size.height + 1 ||
            layout.multiParagraph.didExceedMaxLines ||
            (0 until layout.lineCount).any { layout.getLineRight(it) - layout.getLineLeft(it) > layout.size.width + 1 }

    /** Whether a line of an address ends anywhere other than before a dot or the port. */
    private fun breaksName(layout: TextLayoutResult): Boolean {
        val text = layout.layoutInput.text.text
        return '\u200B' in text && (0 until layout.lineCount - 1).any { text[layout.getLineEnd(it) - 1] != '\u200B' }
    }

    /** Whether a line that is not an address ends within a word. Japanese text may be broken anywhere. */
    private fun breaksWord(layout: TextLayoutResult): Boolean {
        val text = layout.layoutInput.text.text
        return (0 until layout.lineCount - 1).map(layout::getLineEnd).any { end ->
            val word = text.take(end).takeLastWhile { it != ' ' } + text.drop(end).takeWhile { it != ' ' }
            text[end - 1].isLetter() && text[end].isLetter() && '.' !in word && word.all { it.code < FIRST_OF_JAPANESE }
        }
    }

    @Test
    fun no_text_is_cut_off_in_any_language_or_size() {
        for (language in ScreenTexts.languages) {
            for (scale in listOf(1f, 1.3f, 2f)) {
                val session = FakeSession(
                    context = "Pay 20 EUR",
                    flags = listOf(WARNING, REASSURANCE),
                    origin = "https://a-very-long-name-of-a-shop.accounts.example:8443",
                )
                sheet(session, language, scale, Size(320f, 640f)) {
                    val (deny, confirm) = ScreenTexts.of(language).run { listOf(deny, confirm) }
                        .map { onNodeWithText(it).fetchSemanticsNode().size }
                    assertEquals("$language at $scale", deny, confirm)
                    val texts = nodes(unmerged = true).filter { SemanticsActions.GetTextLayoutResult in it.config }
                    assertTrue("$language: ${texts.size}", texts.size > 10)
                    for (text in texts) {
                        val layouts = mutableListOf<TextLayoutResult>()
                        text.config[SemanticsActions.GetTextLayoutResult].action?.invoke(layouts)
                        val name = "$language at $scale: ${layouts.single().layoutInput.text}"
                        assertTrue(name, !isCut(layouts.single()))
                        assertTrue("$name is broken", !breaksName(layouts.single()))
                        // In the largest text size, the longest words are wider than the smallest screen.
                        assertTrue("$name is broken", scale == 2f || !breaksWord(layouts.single()))
                        assertTrue(
                            name,
                            text.boundsInWindow.left >= 0 && text.positionInRoot.x + text.size.width <= 320,
                        )
                    }
                }
            }
        }
    }

    private companion object {
        const val FIRST_OF_JAPANESE = 0x3000
    }
}
