package dev.countersign.sdk

import dev.countersign.sdk.ffi.AssociationKeys
import dev.countersign.sdk.ffi.KeyException
import dev.countersign.sdk.support.Browser
import dev.countersign.sdk.support.Json
import dev.countersign.sdk.support.Server
import dev.countersign.sdk.support.newPhone
import dev.countersign.sdk.support.svc
import kotlinx.coroutines.runBlocking
import org.bouncycastle.crypto.digests.SHA256Digest
import org.bouncycastle.crypto.params.ECPublicKeyParameters
import org.bouncycastle.crypto.signers.DSADigestSigner
import org.bouncycastle.crypto.signers.ECDSASigner
import org.bouncycastle.crypto.util.PublicKeyFactory
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions
import java.security.KeyFactory
import java.security.MessageDigest
import java.security.Signature
import java.security.spec.X509EncodedKeySpec
import java.util.Base64
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertFalse
import kotlin.test.assertNotEquals
import kotlin.test.assertNull
import kotlin.test.assertTrue

private const val USER = "zoë@example.org"

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KeysTest {
    private val server = Server()

    @AfterAll
    fun stop() = server.close()

    private fun jdkVerifies(
        publicKey: String,
        data: ByteArray,
        signature: ByteArray,
        algorithm: String = "SHA256withECDSA",
    ): Boolean {
        val key = KeyFactory.getInstance("EC").generatePublic(X509EncodedKeySpec(Base64.getDecoder().decode(publicKey)))
        return Signature.getInstance(algorithm).run {
            initVerify(key)
            update(data)
            verify(signature)
        }
    }

    private fun bouncyCastleVerifies(publicKey: String, data: ByteArray, signature: ByteArray): Boolean {
        val key = PublicKeyFactory.createKey(Base64.getDecoder().decode(publicKey)) as ECPublicKeyParameters
        return DSADigestSigner(ECDSASigner(), SHA256Digest()).run {
            init(false, key)
            update(data, 0, data.size)
            verifySignature(signature)
        }
    }

    @Test
    fun `signatures verify with the JDK and with Bouncy Castle`() {
        val svc = svc(server)
        val key = svc.generateAssociationKey(USER)
        assertEquals(key, svc.getAssociationKey(USER))
        for (data in listOf("", "data", "für Zoë 🗝", "{\"a\":1}", "x".repeat(100_000))) {
            val signature = Base64.getDecoder().decode(svc.generateUserSignature(USER, data))
            assertTrue(jdkVerifies(key, data.encodeToByteArray(), signature))
            assertTrue(bouncyCastleVerifies(key, data.encodeToByteArray(), signature))
            assertFalse(jdkVerifies(key, "$data.".encodeToByteArray(), signature))
        }
    }

    @Test
    fun `functions without an id use ANON`() {
        val svc = svc(server)
        assertFailsWith<SvcException.UnknownKey> { svc.getAssociationKey() }
        val key = svc.generateAssociationKey()
        assertEquals(key, svc.getAssociationKey("ANON"))
        assertEquals(listOf("ANON"), svc.listAssociationKey())
        val signature = Base64.getDecoder().decode(svc.generateUserSignature(data = "x"))
        assertTrue(jdkVerifies(key, "x".encodeToByteArray(), signature))
    }

    @Test
    fun `keys persist and are one for each id`() {
        val phone = newPhone()
        val first = svc(server, phone)
        val keys = listOf("b", "a", USER, ANON).associateWith(first::generateAssociationKey)
        assertEquals(4, keys.values.toSet().size)
        val later = svc(server, phone)
        assertEquals(keys.keys.sorted(), later.listAssociationKey())
        keys.forEach { (user, key) -> assertEquals(key, later.getAssociationKey(user)) }
    }

    @Test
    fun `generating again replaces the pair`() {
        val svc = svc(server)
        val old = svc.generateAssociationKey(USER)
        val new = svc.generateAssociationKey(USER)
        assertNotEquals(old, new)
        val signature = Base64.getDecoder().decode(svc.generateUserSignature(USER, "x"))
        assertTrue(jdkVerifies(new, "x".encodeToByteArray(), signature))
        assertFalse(jdkVerifies(old, "x".encodeToByteArray(), signature))
        assertEquals(listOf(USER), svc.listAssociationKey())
    }

    @Test
    fun `unknown ids and reserved data are refused`() {
        val svc = svc(server)
        svc.generateAssociationKey()
        assertFailsWith<SvcException.UnknownKey> { svc.generateUserSignature(USER, "x") }
        assertFailsWith<SvcException.InvalidPublicUserId> { svc.generateAssociationKey("") }
        val header = Base64.getUrlEncoder().encodeToString("{\"typ\":\"countersign-login+jwt\"}".encodeToByteArray())
        assertFailsWith<SvcException.ReservedData> { svc.generateUserSignature(data = "$header.e30") }
    }

    @Test
    fun `only the owner can read key files`() {
        val phone = newPhone()
        svc(server, phone).generateAssociationKey()
        val files = phone.walk().filter { it.isFile && it.extension == "json" }.toList()
        assertTrue(files.isNotEmpty())
        files.forEach {
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(it.toPath())))
        }
    }

    @Test
    fun `confirmation carries a proof by the key of its user`() = runBlocking {
        val svc = svc(server)
        val key = svc.generateAssociationKey(USER)
        val browser = Browser.open(server)
        val session = svc.initializeQrSession(server.appKey, browser.sessionId, USER).getOrThrow()
        assertTrue(session.confirm("token").getOrThrow())
        val (payload, salt, proof) = browser.redeem()
        val (header, claims, signature) = checkNotNull(proof).split('.')
        val decoder = Base64.getUrlDecoder()
        val signed = "$header.$claims".encodeToByteArray()
        assertTrue(jdkVerifies(key, signed, decoder.decode(signature), "SHA256withECDSAinP1363Format"))
        val said = decoder.decode(claims).decodeToString()
        assertEquals(browser.sessionId, Json.text(said, "jti"))
        assertEquals(server.url, Json.text(said, "aud"))
        assertEquals(USER, Json.text(said, "sub"))
        val hash = MessageDigest.getInstance("SHA-256").run {
            update("countersign/pay/1".encodeToByteArray() + 0)
            update(decoder.decode(salt))
            digest(payload.encodeToByteArray())
        }
        assertEquals(Base64.getUrlEncoder().withoutPadding().encodeToString(hash), Json.text(said, "pay"))
    }

    @Test
    fun `confirmation without a key has no proof`() = runBlocking {
        val browser = Browser.open(server)
        val session = svc(server).initializeQrSession(server.appKey, browser.sessionId, USER).getOrThrow()
        session.confirm("token").getOrThrow()
        assertNull(browser.redeem().proof)
    }

    @Test
    fun `failures of a platform's keys keep their kind`() = runBlocking {
        val failures = mapOf(
            KeyException.UserAuthenticationRequired() to SvcException.UserAuthenticationRequired::class,
            KeyException.Unknown() to SvcException.UnknownKey::class,
            KeyException.Failed("broken") to SvcException.KeyStoreFailed::class,
            IllegalStateException("unexpected") to SvcException.KeyStoreFailed::class,
        )
        for ((failure, kind) in failures) {
            val keys = object : AssociationKeys {
                override fun generate(id: String): ByteArray = throw failure
                override fun publicKey(id: String): ByteArray? = throw failure
                override fun list(): List<String> = throw failure
                override fun sign(id: String, data: ByteArray): ByteArray = throw failure
            }
            val configuration = SvcConfiguration(server.url, emptyList())
            val svc = SvcCore(configuration, SvcPlatform.files(newPhone(), keys))
            assertEquals(kind, assertFailsWith<SvcException> { svc.generateAssociationKey() }::class)
            assertEquals(kind, assertFailsWith<SvcException> { svc.listAssociationKey() }::class)
            val browser = Browser.open(server)
            val session = svc.initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
            assertEquals(kind, assertFailsWith<SvcException> { session.confirm("x").getOrThrow() }::class)
            assertEquals("scanned", browser.state())
        }
    }
}
