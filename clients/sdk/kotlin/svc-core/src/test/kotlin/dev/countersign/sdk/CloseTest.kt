package dev.countersign.sdk

import dev.countersign.sdk.ffi.AssociationKeys
import dev.countersign.sdk.ffi.Http
import dev.countersign.sdk.ffi.Request
import dev.countersign.sdk.ffi.Response
import dev.countersign.sdk.support.Browser
import dev.countersign.sdk.support.Server
import dev.countersign.sdk.support.newPhone
import dev.countersign.sdk.support.svc
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.async
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.Timeout
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertTrue

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class CloseTest {
    private val server = Server()

    @AfterAll
    fun stop() = server.close()

    @Test
    fun `every call after close fails and says so`() = runBlocking {
        val svc = svc(server)
        svc.generateAssociationKey()
        svc.close()
        assertFailsWith<SvcException.Closed> { svc.sessionId("https://login.example?sessionId=x").getOrThrow() }
        assertFailsWith<SvcException.Closed> {
            svc.initializeQrSession(server.appKey, "qrs_" + "0".repeat(32)).getOrThrow()
        }
        assertFailsWith<SvcException.Closed> { svc.generateAssociationKey() }
        assertFailsWith<SvcException.Closed> { svc.getAssociationKey() }
        assertFailsWith<SvcException.Closed> { svc.listAssociationKey() }
        assertFailsWith<SvcException.Closed> { svc.generateUserSignature(data = "x") }
        svc.close()
    }

    @Test
    fun `session stays usable after close`() = runBlocking {
        val browser = Browser.open(server)
        val session = svc(server).use { it.initializeQrSession(server.appKey, browser.sessionId).getOrThrow() }
        assertTrue(session.timeLeftMillis() > 0)
        assertTrue(session.confirm("token").getOrThrow())
        assertEquals("token", browser.redeem().payload)
    }

    @Test
    fun `call under way goes on after close`() = runBlocking {
        val arrived = CompletableDeferred<Unit>()
        val release = CompletableDeferred<Unit>()
        val slow = object : Http {
            private val http = UrlConnectionHttp()

            override suspend fun send(request: Request): Response {
                arrived.complete(Unit)
                release.await()
                return http.send(request)
            }
        }
        val browser = Browser.open(server)
        val svc = svc(server, http = slow)
        val call = async { svc.initializeQrSession(server.appKey, browser.sessionId) }
        arrived.await()
        svc.close()
        release.complete(Unit)
        val session = call.await().getOrThrow()
        assertTrue(session.confirm("token").getOrThrow())
    }

    @Test
    fun `close within a call of the platform frees nothing that is in use`() {
        lateinit var svc: SvcCore
        val keys = object : AssociationKeys {
            override fun generate(id: String) = ByteArray(0)

            override fun publicKey(id: String): ByteArray? = null

            override fun list(): List<String> {
                svc.close()
                return listOf("zoe")
            }

            override fun sign(id: String, data: ByteArray) = ByteArray(0)
        }
        svc = SvcCore(SvcConfiguration(server.url, emptyList()), SvcPlatform.files(newPhone(), keys))
        assertEquals(listOf("zoe"), svc.listAssociationKey())
        assertFailsWith<SvcException.Closed> { svc.listAssociationKey() }
    }
}
