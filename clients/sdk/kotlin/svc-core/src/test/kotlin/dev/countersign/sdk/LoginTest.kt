package dev.countersign.sdk

import dev.countersign.sdk.screen.Decision
import dev.countersign.sdk.screen.send
import dev.countersign.sdk.support.Browser
import dev.countersign.sdk.support.Server
import dev.countersign.sdk.support.newPhone
import dev.countersign.sdk.support.svc
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertFalse
import kotlin.test.assertNotNull
import kotlin.test.assertNull
import kotlin.test.assertTrue

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LoginTest {
    private val server = Server()

    @AfterAll
    fun stop() = server.close()

    private inline fun <reified E : SvcException> Result<*>.failsWith(): E =
        assertFailsWith<E> { getOrThrow() }

    @Test
    fun `session shows what the service says`() = runBlocking {
        val browser = Browser.open(server)
        val session = svc(server).initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        assertEquals(browser.sessionId, session.sessionId)
        assertEquals(server.url, session.origin)
        assertEquals("127.0.0.1", session.iPAddressMobile)
        assertEquals("127.0.0.1", session.iPAddressWidget)
        assertEquals("clear", session.riskAnalytics?.riskStatus.toString())
        assertNull(session.riskAnalytics?.geoData?.mobile?.city)
        assertNull(session.riskAnalytics?.geoData?.browser?.country_code)
        assertTrue(session.mobileTemplateResponse.title.isNotBlank())
        assertTrue(session.isEncrypted)
        assertNull(session.context)
        assertTrue(session.timeLeftMillis() in 1..180_000)
        assertEquals("scanned", browser.state())
    }

    @Test
    fun `texts come in the configured language`() = runBlocking {
        val browser = Browser.open(server)
        val german = svc(server, languages = listOf("de-AT")).initializeQrSession(server.appKey, browser.sessionId)
        val english = Browser.open(server)
        val other = svc(server).initializeQrSession(server.appKey, english.sessionId)
        assertTrue(
            german.getOrThrow().mobileTemplateResponse.title != other.getOrThrow().mobileTemplateResponse.title,
        )
    }

    @Test
    fun `confirmed payload is decrypted by the browser`() = runBlocking {
        val browser = Browser.open(server)
        val svc = svc(server)
        val id = svc.sessionId(browser.link).getOrThrow()
        val session = svc.initiateQrSession(server.appKey, id).getOrThrow()
        val payload = "{\"token\":\"für Zoë 🗝\"}"
        assertEquals(true, session.confirm(payload).getOrThrow())
        assertEquals(payload, browser.redeem().payload)
        assertEquals("consumed", browser.state())
    }

    @Test
    fun `browser that the phone returns to redeems with the token`() = runBlocking {
        val page = server.page
        val browser = Browser.open(server, returnUrl = page)
        val svc = svc(server, returnsToPages = true)
        val session = svc.initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        val start = "$page#countersign=${browser.sessionId}."
        val url = assertNotNull(session.returnUrl)
        assertTrue(url.startsWith(start))
        assertNull(session.checkCode)
        assertFalse(url in "$session")
        session.confirm("token").getOrThrow()
        val refusal = assertFailsWith<IllegalStateException> { browser.redeem() }
        assertTrue("return_token_required" in refusal.message.orEmpty())
        assertEquals("token", browser.redeem(url.removePrefix(start)).payload)
    }

    @Test
    fun `app that returns to no pages gets none`() = runBlocking {
        val browser = Browser.open(server, returnUrl = server.page)
        val session = svc(server).initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        assertNull(session.returnUrl)
        session.confirm("token").getOrThrow()
        assertEquals("token", browser.redeem().payload)
    }

    @Test
    fun `confirming twice hands over the first payload`() = runBlocking {
        val browser = Browser.open(server)
        val session = svc(server).initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        assertTrue(session.confirm("first").getOrThrow())
        assertTrue(session.confirm("second").getOrThrow())
        assertEquals("first", browser.redeem().payload)
    }

    @Test
    fun `denial ends the login`() = runBlocking {
        val browser = Browser.open(server)
        val session = svc(server).initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        assertTrue(session.deny("").getOrThrow())
        assertEquals("denied", browser.state())
        val denied = session.confirm("x").failsWith<SvcException.AlreadyAnswered>()
        assertFalse(denied.confirmed)
        assertNull(denied.returnUrl)
    }

    @Test
    fun `denial of a screen carries what is configured, and never the payload`() = runBlocking {
        for (configured in listOf("", "{\"app\":\"4.2\"}")) {
            val browser = Browser.open(server)
            val svc = svc(server, denialPayload = configured)
            val session = svc.initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
            assertEquals(configured, session.denialPayload)
            assertFalse(session.send(Decision.DENY, "a token").getOrThrow())
            assertEquals(configured, browser.denialPayload())
        }
    }

    @Test
    fun `200 concurrent answers report what happened`() = runBlocking {
        val browser = Browser.open(server)
        val session = svc(server).initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        val answers = (0 until 200).map { n ->
            async(Dispatchers.IO) { if (n % 2 == 0) session.confirm("token") else session.deny("") }
        }.awaitAll()
        val isConfirmed = browser.state() == "confirmed"
        assertTrue(answers.any { it.isSuccess })
        for ((n, answer) in answers.withIndex()) {
            val error = answer.exceptionOrNull()
            when {
                answer.isSuccess -> assertEquals(isConfirmed, n % 2 == 0)
                error is SvcException.AlreadyAnswered -> assertEquals(isConfirmed, error.confirmed)
                else -> assertTrue(error is SvcException.Ended, "$error")
            }
        }
    }

    @Test
    fun `new process goes on with the login`() = runBlocking {
        val phone = newPhone()
        val browser = Browser.open(server)
        svc(server, phone).initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        val again = svc(server, phone).initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        assertTrue(again.confirm("after the death").getOrThrow())
        assertEquals("after the death", browser.redeem().payload)
    }

    @Test
    fun `new process learns that the login is answered`() = runBlocking {
        val phone = newPhone()
        val browser = Browser.open(server)
        val session = svc(server, phone).initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        session.confirm("x").getOrThrow()
        val again = svc(server, phone).initializeQrSession(server.appKey, browser.sessionId)
        assertTrue(again.failsWith<SvcException.AlreadyAnswered>().confirmed)
    }

    @Test
    fun `restarted server goes on with the login`() = runBlocking {
        Server().use { server ->
            val browser = Browser.open(server)
            val session = svc(server).initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
            server.restart()
            assertTrue(session.confirm("after the restart").getOrThrow())
            assertEquals("after the restart", browser.redeem().payload)
        }
    }

    @Test
    fun `second phone blocks the login`() = runBlocking {
        val browser = Browser.open(server)
        val first = svc(server).initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        val second = svc(server).initializeQrSession(server.appKey, browser.sessionId)
        assertTrue(second.failsWith<SvcException.Blocked>().endsLogin)
        first.confirm("x").failsWith<SvcException.Blocked>()
        assertEquals("blocked", browser.state())
    }

    @Test
    fun `cancelled login has ended`() = runBlocking {
        val browser = Browser.open(server)
        val session = svc(server).initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        browser.cancel()
        assertTrue(session.confirm("x").failsWith<SvcException.Ended>().endsLogin)
    }

    @Test
    fun `risk deny shows immediately and refuses the confirmation`() = runBlocking {
        Server().use { server ->
            server.run("app", "update", "demo", "--deny-after-denials", "true")
            repeat(3) {
                val browser = Browser.open(server)
                svc(server).initializeQrSession(server.appKey, browser.sessionId).getOrThrow().deny("").getOrThrow()
            }
            val browser = Browser.open(server)
            val session = svc(server).initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
            assertEquals(RiskStatus.DENY, session.riskAnalytics?.riskStatus)
            assertNotNull(session.riskAnalytics?.riskFlagString)
            assertTrue(session.mobileTemplateResponse.flags.any { it.severity == Severity.DENY })
            assertEquals("risk_denied", session.confirm("x").failsWith<SvcException.RiskDenied>().problem?.code)
            assertEquals("blocked", browser.state())
        }
    }

    @Test
    fun `login without a key is refused unless configured`() = runBlocking {
        Server().use { server ->
            server.run("app", "update", "demo", "--payload-encryption", "optional")
            val browser = Browser.open(server, encrypted = false)
            svc(server).initializeQrSession(server.appKey, browser.sessionId).failsWith<SvcException.PlainRefused>()
            val plain = svc(server, acceptsPlainLogins = true)
            val session = plain.initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
            assertFalse(session.isEncrypted)
            assertTrue(session.confirm("in the clear").getOrThrow())
            assertEquals("in the clear", browser.redeem().payload)
        }
    }

    @Test
    fun `context is refused unless the app shows contexts`() = runBlocking {
        val context = "Pay 12.00 EUR\nto Bäckerei"
        val browser = Browser.open(server, context = context)
        val phone = newPhone()
        svc(server, phone).initializeQrSession(server.appKey, browser.sessionId)
            .failsWith<SvcException.ContextUnsupported>()
        val shows = svc(server, phone, showsContexts = true)
        val session = shows.initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        assertEquals(context, session.context)
        session.confirm("x").failsWith<SvcException.ProofRequired>()
        Unit
    }

    @Test
    fun `wrong arguments are refused`() = runBlocking {
        val browser = Browser.open(server)
        val svc = svc(server)
        svc.initializeQrSession("not an app key", browser.sessionId).failsWith<SvcException.InvalidAppKey>()
        svc.initializeQrSession(server.appKey, "not an id").failsWith<SvcException.InvalidSessionId>()
        svc.initializeQrSession(server.appKey, browser.sessionId, "a\u0000")
            .failsWith<SvcException.InvalidPublicUserId>()
        val unknown = "qrs_" + "0".repeat(32)
        svc.initializeQrSession(server.appKey, unknown).failsWith<SvcException.NotFound>()
        Unit
    }

    @Test
    fun `half of a surrogate pair is refused everywhere`() = runBlocking {
        val browser = Browser.open(server)
        val svc = svc(server)
        for (half in listOf("\uD83D", "\uDDDD", "a\uD83Db", "\uDDDD\uD83D", "\uD83D\uD83D\uDDDD")) {
            svc.initializeQrSession(server.appKey, browser.sessionId, half).failsWith<SvcException.InvalidText>()
            svc.sessionId("https://login.example?sessionId=$half").failsWith<SvcException.InvalidText>()
            assertFailsWith<SvcException.InvalidText> { svc.generateAssociationKey(half) }
            assertFailsWith<SvcException.InvalidText> { svc.generateUserSignature(data = half) }
        }
        val session = svc.initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        session.confirm("\uD83D").failsWith<SvcException.InvalidText>()
        session.deny("\uDDDD").failsWith<SvcException.InvalidText>()
        assertTrue(session.confirm("\uD83D\uDDDD").getOrThrow())
        assertEquals("\uD83D\uDDDD", browser.redeem().payload)
    }

    @Test
    fun `payload that is too long is refused before it is sent`() = runBlocking {
        val browser = Browser.open(server)
        val session = svc(server).initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        session.confirm("x".repeat(1 shl 20)).failsWith<SvcException.PayloadTooLong>()
        assertEquals("scanned", browser.state())
    }
}
