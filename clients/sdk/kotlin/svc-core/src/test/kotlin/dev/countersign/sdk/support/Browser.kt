package dev.countersign.sdk.support

import org.bouncycastle.crypto.hpke.HPKE
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.security.MessageDigest
import java.security.SecureRandom
import java.util.Base64

/** The data that a page receives from a confirmed login. */
data class Redeemed(val payload: String, val salt: String, val proof: String?)

/** A browser that opened a login, using Bouncy Castle for cryptography. */
class Browser private constructor(private val server: Server, private val encrypted: Boolean) {
    private val hpke =
        HPKE(HPKE.mode_base, HPKE.kem_P256_SHA256, HPKE.kdf_HKDF_SHA256, HPKE.aead_AES_GCM256)
    private val keys = hpke.generatePrivateKey()
    private val token = ByteArray(32).also(SecureRandom()::nextBytes).let(::base64url)
    private val receipt = ByteArray(32).also(SecureRandom()::nextBytes).let(::base64url)

    lateinit var sessionId: String
        private set
    lateinit var link: String
        private set

    private fun open(context: String?, returnUrl: String?) {
        val key = base64url(hpke.serializePublicKey(keys.public))
        val body = buildList {
            if (encrypted) add("\"browserPublicKey\":${Json.quote(key)}")
            if (returnUrl != null) add("\"returnUrl\":${Json.quote(returnUrl)}")
            if (context != null) {
                add("\"origin\":${Json.quote(server.url)}")
                add("\"context\":${Json.quote(context)}")
            }
        }
        val caller = when (context) {
            null -> arrayOf("x-app-key", server.appKey, "origin", server.url)
            else -> arrayOf("x-api-key", server.apiKey)
        }
        val (status, text) = post("/qr-sessions", body.joinToString(",", "{", "}"), *caller)
        check(status == 200) { "$status: $text" }
        sessionId = checkNotNull(Json.text(text, "sessionId"))
        link = checkNotNull(Json.text(text, "url"))
        if (encrypted) check(sessionId == id(context.orEmpty())) { "the id does not vouch for the login" }
    }

    private fun id(context: String): String {
        val key = hpke.serializePublicKey(keys.public)
        val parts = listOf("countersign/login-id/1", server.appKey, server.url, context).map(String::encodeToByteArray)
        val hash = MessageDigest.getInstance("SHA-256").digest(framed(parts + key))
        return "qrs_" + hash.take(16).joinToString("") { "%02x".format(it) }
    }

    /** Redeems the payload of the confirmed login, and decrypts it. */
    @JvmOverloads
    fun redeem(returnToken: String? = null): Redeemed {
        val token = returnToken?.let { ",\"returnToken\":${Json.quote(it)}" }.orEmpty()
        val (status, text) = post("/qr-sessions/$sessionId/redeem", "{\"receipt\":\"$receipt\"$token}")
        check(status == 200) { "$status: $text" }
        val payload = checkNotNull(Json.text(text, "payload"))
        val proof = Json.text(text, "proof")
        if (!encrypted) return Redeemed(payload, Json.text(text, "salt").orEmpty(), proof)
        val sealed = Base64.getUrlDecoder().decode(payload)
        val parts = listOf("countersign/qr/2", sessionId, server.url).map(String::encodeToByteArray)
        val context = hpke.setupBaseR(sealed.copyOf(ENCAPSULATED), keys, framed(parts))
        val opened = context.open(ByteArray(0), sealed.copyOfRange(ENCAPSULATED, sealed.size)).decodeToString()
        return Redeemed(
            checkNotNull(Json.text(opened, "payload")),
            checkNotNull(Json.text(opened, "salt")),
            proof,
        )
    }

    /** Returns the login's state. */
    fun state(): String {
        val request = request("/qr-sessions/$sessionId").GET().build()
        val text = CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body()
        return checkNotNull(Json.text(text, "state")) { text }
    }

    /** Returns the denial's payload, as the app's server gets it. */
    fun denialPayload(): String {
        val own = HttpRequest.newBuilder(URI("${server.url}/qr-sessions/$sessionId")).header("x-api-key", server.apiKey)
        val text = CLIENT.send(own.GET().build(), HttpResponse.BodyHandlers.ofString()).body()
        return checkNotNull(Json.text(text, "denialPayload")) { text }
    }

    /** Cancels the login. */
    fun cancel() {
        val request = request("/qr-sessions/$sessionId").DELETE().build()
        val status = CLIENT.send(request, HttpResponse.BodyHandlers.discarding()).statusCode()
        check(status in 200..299) { "cancelling answered $status" }
    }

    private fun request(path: String) =
        HttpRequest.newBuilder(URI(server.url + path)).header("authorization", "Bearer $token")

    private fun post(path: String, body: String, vararg headers: String): Pair<Int, String> {
        val request = request(path).header("content-type", "application/json")
        if (headers.isNotEmpty()) request.headers(*headers)
        val posted = request.POST(HttpRequest.BodyPublishers.ofString(body)).build()
        val answer = CLIENT.send(posted, HttpResponse.BodyHandlers.ofString())
        return answer.statusCode() to answer.body()
    }

    companion object {
        private const val ENCAPSULATED = 65
        private val CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()

        /** Opens a login of the server's demo app. */
        @JvmOverloads
        fun open(
            server: Server,
            encrypted: Boolean = true,
            context: String? = null,
            returnUrl: String? = null,
        ): Browser = Browser(server, encrypted).apply { open(context, returnUrl) }

        private fun base64url(bytes: ByteArray) = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes)

        private fun framed(parts: List<ByteArray>) = parts.fold(ByteArray(0)) { all, part ->
            all + byteArrayOf((part.size shr 8).toByte(), part.size.toByte()) + part
        }
    }
}
