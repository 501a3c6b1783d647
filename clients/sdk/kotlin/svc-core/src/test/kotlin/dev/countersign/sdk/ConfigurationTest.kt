package dev.countersign.sdk

import dev.countersign.sdk.messages.Messages
import dev.countersign.sdk.support.newPhone
import kotlinx.coroutines.CancellationException
import org.junit.jupiter.api.Test
import java.util.Locale
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import kotlin.test.assertTrue

class ConfigurationTest {
    private fun svc(url: String, vararg hosts: String) =
        SvcCore(SvcConfiguration(url, hosts.toList()), SvcPlatform.files(newPhone()))

    private fun SvcCore.refusal(link: String) =
        assertFailsWith<SvcException.InvalidLink> { sessionId(link).getOrThrow() }.reason

    @Test
    fun `invalid configuration is refused`() {
        for (url in listOf("", "login.example", "http://login.example", "ftp://login.example", "https://a?b")) {
            assertFailsWith<SvcException.InvalidConfiguration> { svc(url) }
        }
        assertFailsWith<SvcException.InvalidConfiguration> { svc("https://login.example", "https://login.example") }
        assertFailsWith<IllegalArgumentException> { Retries(listOf(-1L)) }
        val denials = { text: String -> SvcConfiguration("https://login.example", emptyList(), denialPayload = text) }
        SvcCore(denials("x".repeat(8192)), SvcPlatform.files(newPhone()))
        assertFailsWith<SvcException.InvalidConfiguration> {
            SvcCore(denials("x".repeat(8193)), SvcPlatform.files(newPhone()))
        }
    }

    @Test
    fun `only links of the configured hosts are opened`() {
        val svc = svc("https://api.example", "login.example")
        val id = "qrs_0123456789abcdef0123456789abcdef"
        assertEquals(id, svc.sessionId("https://login.example?sessionId=$id").getOrThrow())
        assertEquals(id, svc.sessionId("https://LOGIN.example/?a=b&sessionId=$id&sessionId=x").getOrThrow())
        assertEquals(InvalidLinkReason.SESSION_ID_MISSING, svc.refusal("https://login.example?a=b"))
        assertEquals(InvalidLinkReason.HOST_NOT_ALLOWED, svc.refusal("https://evil.example?sessionId=$id"))
        assertEquals(InvalidLinkReason.MALFORMED, svc.refusal("http://login.example?sessionId=$id"))
        assertEquals(InvalidLinkReason.MALFORMED, svc.refusal("hello"))
    }

    @Test
    fun `every failure has a sentence in every language`() {
        val problem = ServiceProblem(400, "code", "title", null)
        val failures = SvcException::class.java.declaredClasses.map { kind ->
            val constructor = kind.constructors.single()
            val arguments = constructor.parameterTypes.map { type ->
                when (type) {
                    String::class.java -> "detail"
                    ServiceProblem::class.java -> problem
                    InvalidLinkReason::class.java -> InvalidLinkReason.MALFORMED
                    Boolean::class.javaPrimitiveType -> true
                    else -> error("$kind takes a $type")
                }
            }
            constructor.newInstance(*arguments.toTypedArray()) as SvcException
        }
        val codes = failures.map { it.code }
        assertEquals(codes.size, codes.toSet().size)
        assertEquals(setOf("en", "de", "fr", "es", "pt", "it", "ja", "ar"), Messages.languages.keys)
        for ((language, sentences) in Messages.languages) {
            assertEquals(codes.toSet(), sentences.keys, language)
            assertTrue(sentences.values.all { it.trim() == it && it.isNotEmpty() }, language)
        }
        assertEquals(Messages.of(Locale.GERMANY, "expired"), SvcException.Expired(null).messageFor(Locale.GERMANY))
        assertEquals(Messages.of(Locale.ENGLISH, "expired"), SvcException.Expired(null).messageFor(Locale("eo")))
    }

    @Test
    fun `results hold failures and let cancellation through`() {
        assertEquals(1, svcResult { 1 }.getOrThrow())
        assertIs<SvcException.Cancelled>(svcResult { throw SvcException.Cancelled() }.exceptionOrNull())
        assertIs<SvcException.Internal>(svcResult { error("bug") }.exceptionOrNull())
        assertFailsWith<CancellationException> { svcResult { throw CancellationException() } }
        assertFailsWith<StackOverflowError> { svcResult { throw StackOverflowError() } }
    }
}
