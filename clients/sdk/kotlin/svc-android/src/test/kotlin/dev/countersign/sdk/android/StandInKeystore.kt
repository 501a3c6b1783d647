package dev.countersign.sdk.android

import android.os.Build
import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyPermanentlyInvalidatedException
import android.security.keystore.StrongBoxUnavailableException
import android.security.keystore.UserNotAuthenticatedException
import java.io.InputStream
import java.io.OutputStream
import java.security.InvalidKeyException
import java.security.Key
import java.security.KeyPair
import java.security.KeyPairGenerator
import java.security.KeyPairGeneratorSpi
import java.security.KeyStoreSpi
import java.security.PrivateKey
import java.security.Provider
import java.security.ProviderException
import java.security.PublicKey
import java.security.SecureRandom
import java.security.Security
import java.security.SignatureSpi
import java.security.cert.Certificate
import java.security.spec.AlgorithmParameterSpec
import java.util.Collections
import java.util.Date
import java.util.Enumeration
import java.util.Locale

/** An in-memory keystore under Android's name: it shows which calls are made, but nothing about hardware. */
internal object StandInKeystore {
    val keys = LinkedHashMap<String, KeyPair>()
    val specs = mutableListOf<KeyGenParameterSpec>()
    var hasStrongBox = false
    var isStrongBoxBroken = false
    var isLocked = false
    var isInvalidated = false
    var locale: Locale? = null

    fun install() {
        keys.clear()
        specs.clear()
        hasStrongBox = false
        isStrongBoxBroken = false
        isLocked = false
        isInvalidated = false
        Security.removeProvider(NAME)
        Security.insertProviderAt(StandInProvider(), 1)
    }

    const val NAME = "AndroidKeyStore"
}

internal class StandInProvider : Provider(StandInKeystore.NAME, 1.0, "stand-in") {
    init {
        put("KeyStore.AndroidKeyStore", StandInStore::class.java.name)
        put("KeyPairGenerator.EC", StandInGenerator::class.java.name)
        put("Signature.SHA256withECDSA", LockedSignature::class.java.name)
    }
}

internal class LockedKey : PrivateKey {
    override fun getAlgorithm() = "EC"

    override fun getFormat(): String? = null

    override fun getEncoded(): ByteArray? = null
}

/** Accepts only locked keys, so that the JDK signs with the others. */
internal class LockedSignature : SignatureSpi() {
    override fun engineInitSign(key: PrivateKey) {
        if (key is LockedKey && StandInKeystore.isInvalidated) throw KeyPermanentlyInvalidatedException()
        if (key is LockedKey) throw UserNotAuthenticatedException()
        throw InvalidKeyException("not a locked key")
    }

    override fun engineInitVerify(key: PublicKey): Unit = throw InvalidKeyException("signs only")

    override fun engineUpdate(b: Byte) = Unit

    override fun engineUpdate(b: ByteArray, off: Int, len: Int) = Unit

    override fun engineSign() = ByteArray(0)

    override fun engineVerify(bytes: ByteArray) = false

    @Deprecated("")
    override fun engineSetParameter(param: String, value: Any) = Unit

    @Deprecated("")
    override fun engineGetParameter(param: String): Any = Unit
}

internal class StandInGenerator : KeyPairGeneratorSpi() {
    private lateinit var spec: KeyGenParameterSpec

    override fun initialize(size: Int, random: SecureRandom?) = Unit

    override fun initialize(params: AlgorithmParameterSpec, random: SecureRandom?) {
        spec = params as KeyGenParameterSpec
    }

    override fun generateKeyPair(): KeyPair {
        StandInKeystore.specs += spec
        StandInKeystore.locale = Locale.getDefault()
        if (Build.VERSION.SDK_INT >= 28 && spec.isStrongBoxBacked) {
            if (!StandInKeystore.hasStrongBox) throw StrongBoxUnavailableException()
            if (StandInKeystore.isStrongBoxBroken) throw ProviderException("broken")
        }
        val pair =
            KeyPairGenerator.getInstance("EC", "BC").run {
                initialize(spec.algorithmParameterSpec)
                generateKeyPair()
            }
        StandInKeystore.keys[spec.keystoreAlias] = pair
        return pair
    }
}

private class KeyCertificate(private val key: PublicKey) : Certificate("stand-in") {
    override fun getEncoded() = ByteArray(0)

    override fun verify(key: PublicKey) = Unit

    override fun verify(key: PublicKey, sigProvider: String) = Unit

    override fun toString() = "stand-in"

    override fun getPublicKey() = key
}

internal class StandInStore : KeyStoreSpi() {
    private val keys get() = StandInKeystore.keys

    override fun engineGetKey(alias: String, password: CharArray?): Key? =
        if (StandInKeystore.isLocked || StandInKeystore.isInvalidated) LockedKey() else keys[alias]?.private

    override fun engineGetCertificateChain(alias: String): Array<Certificate>? = null

    override fun engineGetCertificate(alias: String): Certificate? = keys[alias]?.let { KeyCertificate(it.public) }

    override fun engineGetCreationDate(alias: String) = Date(0)

    override fun engineSetKeyEntry(alias: String, key: Key, password: CharArray?, chain: Array<Certificate>?) = Unit

    override fun engineSetKeyEntry(alias: String, key: ByteArray, chain: Array<Certificate>?) = Unit

    override fun engineSetCertificateEntry(alias: String, cert: Certificate) = Unit

    override fun engineDeleteEntry(alias: String) {
        keys.remove(alias)
    }

    override fun engineAliases(): Enumeration<String> = Collections.enumeration(keys.keys)

    override fun engineContainsAlias(alias: String) = alias in keys

    override fun engineSize() = keys.size

    override fun engineIsKeyEntry(alias: String) = alias in keys

    override fun engineIsCertificateEntry(alias: String) = false

    override fun engineGetCertificateAlias(cert: Certificate): String? = null

    override fun engineStore(stream: OutputStream?, password: CharArray?) = Unit

    override fun engineLoad(stream: InputStream?, password: CharArray?) = Unit
}
