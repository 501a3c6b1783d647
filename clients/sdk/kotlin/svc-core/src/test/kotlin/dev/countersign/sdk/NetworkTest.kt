package dev.countersign.sdk

import com.sun.net.httpserver.HttpServer
import dev.countersign.sdk.ffi.Http
import dev.countersign.sdk.ffi.NetworkException
import dev.countersign.sdk.ffi.Request
import dev.countersign.sdk.ffi.Response
import dev.countersign.sdk.support.Browser
import dev.countersign.sdk.support.HeldPort
import dev.countersign.sdk.support.Server
import dev.countersign.sdk.support.newPhone
import dev.countersign.sdk.support.svc
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.Timeout
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.ServerSocket
import java.util.concurrent.CopyOnWriteArrayList
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertFalse
import kotlin.test.assertTrue

/** Passes requests on, and lets a test change the answers. */
private class Wire(var after: suspend (Response) -> Response = { it }) : Http {
    val sent = CopyOnWriteArrayList<String>()
    private val http = UrlConnectionHttp()

    override suspend fun send(request: Request): Response {
        sent += request.body.decodeToString()
        return after(http.send(request))
    }
}

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class NetworkTest {
    private val server = Server()
    private val loopback = InetAddress.getByName("127.0.0.1")

    @AfterAll
    fun stop() = server.close()

    private inline fun <reified E : SvcException> Result<*>.failsWith(): E =
        assertFailsWith<E> { getOrThrow() }

    @Test
    fun `no network is a failure, and trying again goes on`() = runBlocking {
        val phone = newPhone()
        val browser = Browser.open(server)
        HeldPort().use { closed ->
            val offline = svc(server, phone, url = "http://${closed.address}")
            offline.initializeQrSession(server.appKey, browser.sessionId).failsWith<SvcException.Network>()
        }
        val session = svc(server, phone).initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        assertTrue(session.confirm("x").getOrThrow())
    }

    @Test
    fun `cancelled call is thrown and closes its connection`() = runBlocking {
        ServerSocket(0, 1, loopback).use { silent ->
            val svc = svc(server, url = "http://127.0.0.1:${silent.localPort}")
            val outcome = CompletableDeferred<Throwable>()
            val call = launch(Dispatchers.Default) {
                try {
                    svc.initializeQrSession(server.appKey, "qrs_" + "0".repeat(32))
                    outcome.completeExceptionally(AssertionError("the call returned"))
                } catch (error: CancellationException) {
                    outcome.complete(error)
                    throw error
                }
            }
            val connection = withContext(Dispatchers.IO) { silent.accept() }
            // The request has arrived, but is not answered.
            withContext(Dispatchers.IO) { connection.getInputStream().read() }
            call.cancelAndJoin()
            outcome.await()
            withContext(Dispatchers.IO) { connection.getInputStream().readBytes() }
            connection.close()
        }
    }

    @Test
    fun `cancelled opening goes on with the same login`() = runBlocking {
        val browser = Browser.open(server)
        val arrived = CompletableDeferred<Unit>()
        val wire = Wire {
            arrived.complete(Unit)
            awaitCancellation()
        }
        val svc = svc(server, http = wire)
        val call = launch { svc.initializeQrSession(server.appKey, browser.sessionId) }
        arrived.await()
        call.cancelAndJoin()
        assertEquals("scanned", browser.state())
        wire.after = { it }
        val session = svc.initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        assertTrue(session.confirm("x").getOrThrow())
    }

    @Test
    fun `cancelled confirmation is sent again as it was`() = runBlocking {
        val browser = Browser.open(server)
        val wire = Wire()
        val svc = svc(server, http = wire)
        val session = svc.initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        val arrived = CompletableDeferred<Unit>()
        wire.after = {
            arrived.complete(Unit)
            awaitCancellation()
        }
        val call = launch { session.confirm("first") }
        arrived.await()
        call.cancelAndJoin()
        wire.after = { it }
        assertTrue(session.confirm("second").getOrThrow())
        assertEquals(wire.sent[1], wire.sent[2])
        assertEquals("first", browser.redeem().payload)
    }

    @Test
    fun `confirmation whose answer was lost still leads back to the page`() = runBlocking {
        val phone = newPhone()
        val page = server.page
        val browser = Browser.open(server, returnUrl = page)
        val wire = Wire()
        val svc = svc(server, phone, wire, returnsToPages = true)
        val session = svc.initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        wire.after = { throw NetworkException.Temporary("no network") }
        session.confirm("token").failsWith<SvcException.Network>()
        val again = svc(server, phone, returnsToPages = true).initializeQrSession(server.appKey, browser.sessionId)
        val former = again.failsWith<SvcException.AlreadyAnswered>()
        assertTrue(former.confirmed)
        assertEquals(session.returnUrl, former.returnUrl)
        assertFalse("countersign=" in "$former")
        val start = "$page#countersign=${browser.sessionId}."
        assertEquals("token", browser.redeem(former.returnUrl?.removePrefix(start)).payload)
    }

    @Test
    fun `slow answer is waited for`() = runBlocking {
        val browser = Browser.open(server)
        val arrived = CompletableDeferred<Unit>()
        val release = CompletableDeferred<Unit>()
        val wire = Wire {
            arrived.complete(Unit)
            release.await()
            it
        }
        val svc = svc(server, http = wire)
        val call = async { svc.initializeQrSession(server.appKey, browser.sessionId) }
        arrived.await()
        assertTrue(call.isActive)
        release.complete(Unit)
        assertEquals(browser.sessionId, call.await().getOrThrow().sessionId)
    }

    @Test
    fun `answer that takes too long is repeated`() = runBlocking {
        val browser = Browser.open(server)
        val wire = Wire()
        wire.after = { if (wire.sent.size == 1) awaitCancellation() else it }
        val configuration = SvcConfiguration(server.url, emptyList(), retries = Retries(List(30) { 0L }, 1_000))
        val svc = SvcCore(configuration, SvcPlatform.files(newPhone(), wire))
        val session = svc.initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        assertEquals(browser.sessionId, session.sessionId)
        assertTrue(wire.sent.size > 1)
        assertEquals(1, wire.sent.toSet().size)
    }

    @Test
    fun `expired login is refused without an answer`() = runBlocking {
        val browser = Browser.open(server)
        val wire = Wire { response ->
            val text = response.body.decodeToString()
            val now = checkNotNull(Regex("\"serverTime\":(\"[^\"]*\"|\\d+)").find(text)).groupValues[1]
            val expired = text.replace(Regex("\"expiresAt\":(\"[^\"]*\"|\\d+)"), "\"expiresAt\":$now")
            Response(response.status, response.headers, expired.encodeToByteArray())
        }
        val svc = svc(server, http = wire)
        val session = svc.initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
        assertEquals(0, session.timeLeftMillis())
        wire.after = { throw NetworkException.Temporary("no network") }
        assertEquals(null, session.confirm("x").failsWith<SvcException.Expired>().problem)
    }

    @Test
    fun `another key than the id vouches for stops the phone`() = runBlocking {
        val browser = Browser.open(server)
        val other = Browser.open(server)
        val wire = Wire()
        val svc = svc(server, http = wire)
        wire.after = { answer ->
            val text = answer.body.decodeToString()
            if ("browserPublicKey" in text) {
                val forged = text.replace(Regex("\"origin\":\"[^\"]*\""), "\"origin\":\"https://evil.example\"")
                Response(answer.status, answer.headers, forged.encodeToByteArray())
            } else {
                answer
            }
        }
        svc.initializeQrSession(server.appKey, browser.sessionId).failsWith<SvcException.KeyMismatch>()
        assertEquals("blocked", browser.state())
        assertEquals("created", other.state())
    }

    private fun answering(status: Int, body: ByteArray, vararg headers: Pair<String, String>, test: (String) -> Unit) {
        val fake = HttpServer.create(InetSocketAddress(loopback, 0), 0)
        fake.createContext("/") { exchange ->
            exchange.requestBody.readBytes()
            headers.forEach { (name, value) -> exchange.responseHeaders.add(name, value) }
            val hasBody = body.isNotEmpty() && status != 204 && status != 304
            exchange.sendResponseHeaders(status, if (hasBody) body.size.toLong() else -1)
            if (hasBody) runCatching { exchange.responseBody.use { it.write(body) } } else exchange.close()
        }
        fake.start()
        try {
            test("http://127.0.0.1:${fake.address.port}")
        } finally {
            fake.stop(0)
        }
    }

    private fun open(url: String) = runBlocking {
        svc(server, url = url).initializeQrSession(server.appKey, "qrs_" + "0".repeat(32))
    }

    @Test
    fun `redirect is not followed`() = answering(307, ByteArray(1), "location" to server.url + "/") {
        open(it).failsWith<SvcException.Network>()
    }

    @Test
    fun `answer that is too long is refused`() = answering(200, ByteArray(1 shl 20)) {
        open(it).failsWith<SvcException.MalformedAnswer>()
    }

    @Test
    fun `answer of something in between is the network's`() {
        val statuses = listOf(200, 204, 302, 304, 400, 401, 403, 404, 407, 408, 413, 421, 429, 500, 502, 503, 504, 511)
        for (status in statuses) {
            for (body in listOf("", "<html>", "{}").map(String::encodeToByteArray)) {
                if (status == 200 && body.size == 2) continue
                answering(status, body, "www-authenticate" to "Basic realm=\"portal\"") {
                    open(it).failsWith<SvcException.Network>()
                }
            }
        }
    }

    @Test
    fun `problem of the service keeps its reason, whatever its status`() {
        for (status in listOf(400, 401, 403, 404, 405, 409, 413, 415, 421, 422, 429, 500, 501, 502, 503, 504)) {
            val problem = """{"type":"about:blank","title":"No","status":$status,"code":"some_reason"}"""
            val type = "content-type" to "application/problem+json"
            answering(status, problem.encodeToByteArray(), type, "www-authenticate" to "Bearer") {
                val error = assertFailsWith<SvcException> { open(it).getOrThrow() }
                assertEquals(status to "some_reason", error.problem?.run { this.status to code })
            }
        }
    }

    @Test
    fun `wrong app key is named`() = runBlocking {
        val stranger = "cs_app_0000000000000000000000"
        val opened = svc(server).initializeQrSession(stranger, Browser.open(server).sessionId)
        assertEquals("app_key_unknown", opened.failsWith<SvcException.Problem>().problem?.code)
    }

    @Test
    fun `expiry that the service reports is typed`() {
        val problem = """{"type":"about:blank","title":"expired","status":410,"code":"session_expired"}"""
        answering(410, problem.encodeToByteArray(), "content-type" to "application/problem+json") {
            assertEquals(410, open(it).failsWith<SvcException.Expired>().problem?.status)
        }
    }
}
