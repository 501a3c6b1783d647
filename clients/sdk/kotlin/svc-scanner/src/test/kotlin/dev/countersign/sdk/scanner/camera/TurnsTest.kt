package dev.countersign.sdk.scanner.camera

import org.junit.Assert.assertEquals
import org.junit.Test

class TurnsTest {
    private val turns = Turns()
    private val began = mutableListOf<String>()

    private fun take(user: String) = turns.take(user) { began += user }

    @Test
    fun `next user begins when the camera was given back`() {
        listOf("a", "b", "c").forEach(::take)
        assertEquals(listOf("a"), began)
        turns.giveBack("a")
        assertEquals(listOf("a", "b"), began)
        turns.giveBack("b")
        assertEquals(listOf("a", "b", "c"), began)
        turns.giveBack("c")
        take("d")
        assertEquals(listOf("a", "b", "c", "d"), began)
    }

    @Test
    fun `user that stops waiting never begins`() {
        listOf("a", "b", "c").forEach(::take)
        turns.giveBack("b")
        turns.giveBack("a")
        assertEquals(listOf("a", "c"), began)
    }

    @Test
    fun `giving back twice takes no other user's turn`() {
        listOf("a", "b", "c").forEach(::take)
        turns.giveBack("a")
        turns.giveBack("a")
        assertEquals(listOf("a", "b"), began)
    }

    @Test
    fun `user may give back while it begins`() {
        turns.take("a") { turns.giveBack("a") }
        take("b")
        assertEquals(listOf("b"), began)
    }
}
