package dev.countersign.sdk.screen

import dev.countersign.sdk.messages.Messages
import org.junit.jupiter.api.Test
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertTrue

class ScreenTextsTest {
    /** Words that are the same in several languages. */
    private val shared = setOf("site", "app", "browser", "danger", "info")

    private fun sentences(texts: ScreenTexts): Map<String, String> =
        ScreenTexts::class.java.methods
            .filter { it.returnType == String::class.java && it.name.startsWith("get") }
            .associate { it.name.removePrefix("get").replaceFirstChar(Char::lowercase) to it.invoke(texts) as String }
            .minus("language")

    @Test
    fun `screens speak the languages of the failures`() {
        assertEquals(Messages.languages.keys, ScreenTexts.languages.toSet())
    }

    @Test
    fun `every text is there in every language`() {
        val all = ScreenTexts.languages.associateWith { sentences(ScreenTexts.of(it)) }
        for ((language, sentences) in all) {
            assertTrue(sentences.size >= 25, language)
            for ((name, text) in sentences) {
                assertTrue(text.isNotEmpty() && text.trim() == text, "$language: $name")
                if (name in shared || language == "en") continue
                assertFalse(text == all.getValue("en")[name], "$language: $name is English")
            }
        }
    }

    @Test
    fun `first language that the screens speak is taken`() {
        assertEquals("de", ScreenTexts.of(listOf("eo", "de-AT", "fr")).language)
        assertEquals("pt", ScreenTexts.of("pt_BR").language)
        assertEquals("en", ScreenTexts.of(listOf("eo")).language)
        assertTrue(ScreenTexts.of("ar").isRightToLeft)
    }
}
