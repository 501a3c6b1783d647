package dev.countersign.sdk.scanner.code

import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test

class SeenTextsTest {
    @Test
    fun `text is not reported again`() {
        val seen = SeenTexts()
        assertTrue(seen.add("a"))
        assertTrue(seen.add("b"))
        assertFalse(seen.add("a"))
        assertFalse(seen.isNew("b"))
        assertTrue(seen.isNew("c"))
    }

    @Test
    fun `oldest text is forgotten when there are too many`() {
        val seen = SeenTexts()
        for (number in 0..SeenTexts.CAPACITY) seen.add("$number")
        assertTrue(seen.isNew("0"))
        assertFalse(seen.isNew("1"))
    }
}
