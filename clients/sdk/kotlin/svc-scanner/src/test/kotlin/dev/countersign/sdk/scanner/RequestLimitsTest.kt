package dev.countersign.sdk.scanner

import dev.countersign.sdk.SvcException
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test

class RequestLimitsTest {
    private fun check(payload: String = "p", appKey: String = "a", user: String? = null) =
        tooLong(AuthRequest(appKey, payload, user))

    @Test
    fun `payload is counted in bytes`() {
        assertNull(check("x".repeat(8 * 1024)))
        assertTrue(check("x".repeat(8 * 1024 + 1)) is SvcException.PayloadTooLong)
        assertNull(check("ä".repeat(4 * 1024)))
        assertTrue(check("ä".repeat(4 * 1024 + 1)) is SvcException.PayloadTooLong)
        assertTrue(check("x".repeat(50_000_000)) is SvcException.PayloadTooLong)
    }

    @Test
    fun `names have limits too`() {
        assertNull(check(user = "zoe@example.com"))
        assertTrue(check(appKey = "a".repeat(1025)) is SvcException.InvalidAppKey)
        assertTrue(check(user = "u".repeat(1025)) is SvcException.InvalidPublicUserId)
    }
}
