package dev.countersign.sdk.scanner

import java.io.InputStream
import java.io.OutputStream
import java.security.Key
import java.security.KeyStoreSpi
import java.security.Provider
import java.security.Security
import java.security.cert.Certificate
import java.util.Collections
import java.util.Date
import java.util.Enumeration

/** An Android Keystore without keys, because Robolectric has no Keystore. */
class EmptyKeystore : KeyStoreSpi() {
    override fun engineGetKey(alias: String, password: CharArray?): Key? = null

    override fun engineGetCertificateChain(alias: String): Array<Certificate>? = null

    override fun engineGetCertificate(alias: String): Certificate? = null

    override fun engineGetCreationDate(alias: String): Date? = null

    override fun engineSetKeyEntry(alias: String, key: Key, password: CharArray?, chain: Array<Certificate>?) = Unit

    override fun engineSetKeyEntry(alias: String, key: ByteArray, chain: Array<Certificate>?) = Unit

    override fun engineSetCertificateEntry(alias: String, certificate: Certificate?) = Unit

    override fun engineDeleteEntry(alias: String) = Unit

    override fun engineAliases(): Enumeration<String> = Collections.emptyEnumeration()

    override fun engineContainsAlias(alias: String): Boolean = false

    override fun engineSize(): Int = 0

    override fun engineIsKeyEntry(alias: String): Boolean = false

    override fun engineIsCertificateEntry(alias: String): Boolean = false

    override fun engineGetCertificateAlias(certificate: Certificate): String? = null

    override fun engineStore(stream: OutputStream?, password: CharArray?) = Unit

    override fun engineLoad(stream: InputStream?, password: CharArray?) = Unit

    private class Keystores : Provider(NAME, "1", "no keys") {
        init {
            putService(Service(this, "KeyStore", NAME, EmptyKeystore::class.java.name, null, null))
        }
    }

    companion object {
        private const val NAME = "AndroidKeyStore"

        fun install() {
            Security.removeProvider(NAME)
            Security.addProvider(Keystores())
        }
    }
}
