package dev.countersign.sdk.android

import android.os.Build
import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyPermanentlyInvalidatedException
import android.security.keystore.KeyProperties
import android.security.keystore.UserNotAuthenticatedException
import dev.countersign.sdk.android.api28.StrongBox
import dev.countersign.sdk.ffi.AssociationKeys
import dev.countersign.sdk.ffi.KeyException
import java.io.File
import java.security.GeneralSecurityException
import java.security.KeyPairGenerator
import java.security.KeyStore
import java.security.PrivateKey
import java.security.ProviderException
import java.security.Signature
import java.security.spec.ECGenParameterSpec
import java.util.Locale

/**
 * Association keys in the Android Keystore, which private keys never leave. They are in StrongBox if the
 * device has one.
 *
 * @param directory folder for the names of the keys, which no backup may carry.
 * @param userAuthenticationSeconds how long a key can be used after the user unlocked the device or
 *   proved who they are to it; 0 asks for no proof. It applies to keys generated from now on.
 */
public class KeystoreAssociationKeys(
    directory: File,
    private val userAuthenticationSeconds: Int = 0,
) : AssociationKeys {
    private val names = KeyNames(directory)

    /** Replaces the key pair of this name. The previous pair is deleted. */
    @Synchronized
    override fun generate(id: String): ByteArray =
        keystore { store ->
            val alias = names.alias(id)
            // The name comes first: a name without a key is harmless, whereas a key without a name would
            // never be listed.
            names.remember(id)
            val inStrongBox = Build.VERSION.SDK_INT >= Build.VERSION_CODES.P && StrongBox.generate(spec(alias), ::make)
            if (!inStrongBox) make(spec(alias).build())
            store.getCertificate(alias)?.publicKey?.encoded
                ?: throw KeyException.Failed("the keystore did not keep the key")
        }

    @Synchronized
    override fun publicKey(id: String): ByteArray? =
        keystore { store ->
            store.getCertificate(names.alias(id))?.publicKey?.encoded?.also { names.remember(id) }
        }

    /** Lists the names that have a key, and deletes the others. */
    @Synchronized
    override fun list(): List<String> =
        keystore { store ->
            val (kept, orphaned) = names.all().partition { store.containsAlias(names.alias(it)) }
            orphaned.forEach(names::forget)
            kept
        }

    @Synchronized
    override fun sign(id: String, data: ByteArray): ByteArray =
        keystore { store ->
            val key = store.getKey(names.alias(id), null) as? PrivateKey ?: throw KeyException.Unknown()
            try {
                Signature.getInstance("SHA256withECDSA").run {
                    initSign(key)
                    update(data)
                    sign()
                }
            } catch (_: KeyPermanentlyInvalidatedException) {
                // The user removed the screen lock, so the key can never be unlocked again.
                store.deleteEntry(names.alias(id))
                names.forget(id)
                throw KeyException.Unknown()
            }
        }

    private fun spec(alias: String): KeyGenParameterSpec.Builder =
        KeyGenParameterSpec
            .Builder(alias, KeyProperties.PURPOSE_SIGN)
            .setAlgorithmParameterSpec(ECGenParameterSpec("secp256r1"))
            .setDigests(KeyProperties.DIGEST_SHA256)
            .apply {
                if (userAuthenticationSeconds > 0) {
                    setUserAuthenticationRequired(true)
                    setUserAuthenticationValidityDurationSeconds(userAuthenticationSeconds)
                }
            }

    private fun make(spec: KeyGenParameterSpec) {
        withLatinDigits {
            KeyPairGenerator.getInstance(KeyProperties.KEY_ALGORITHM_EC, PROVIDER).run {
                initialize(spec)
                generateKeyPair()
            }
        }
    }

    /** API 23 writes certificate dates with the digits of the default locale, and cannot read Arabic ones. */
    private fun <T> withLatinDigits(block: () -> T): T {
        if (Build.VERSION.SDK_INT > Build.VERSION_CODES.M) return block()
        val locale = Locale.getDefault()
        Locale.setDefault(Locale.ENGLISH)
        try {
            return block()
        } finally {
            Locale.setDefault(locale)
        }
    }

    private fun <T> keystore(block: (KeyStore) -> T): T =
        try {
            block(KeyStore.getInstance(PROVIDER).apply { load(null) })
        } catch (_: UserNotAuthenticatedException) {
            throw KeyException.UserAuthenticationRequired()
        } catch (error: GeneralSecurityException) {
            throw KeyException.Failed(error.toString())
        } catch (error: ProviderException) {
            throw KeyException.Failed(error.toString())
        }

    private companion object {
        const val PROVIDER = "AndroidKeyStore"
    }
}
