package dev.countersign.sdk.android

import java.io.File
import java.io.IOException
import java.security.MessageDigest

/**
 * Names of association keys, in one file each. The Keystore only sees a hash of the name, because a name may
 * be an e-mail address, and aliases appear in system logs.
 */
internal class KeyNames(private val directory: File) {
    /** Returns the Keystore alias for a name. */
    fun alias(name: String): String {
        val hash = MessageDigest.getInstance("SHA-256").digest("$LABEL$name".toByteArray())
        return PREFIX + hash.joinToString("") { "%02x".format(it) }
    }

    fun remember(name: String) {
        val file = File(directory, alias(name))
        if (file.isFile) return
        directory.mkdirs()
        val new = File.createTempFile("new", null, directory)
        new.writeText(name)
        if (!new.renameTo(file)) {
            new.delete()
            throw IOException("cannot write ${file.path}")
        }
    }

    fun forget(name: String) {
        File(directory, alias(name)).delete()
    }

    /** Returns all names. Skips files whose content does not match their name, such as half-written files. */
    fun all(): List<String> =
        directory
            .listFiles { file -> file.name.startsWith(PREFIX) }
            .orEmpty()
            .mapNotNull { file -> file.readText().takeIf { alias(it) == file.name } }
            .sorted()

    private companion object {
        const val PREFIX = "countersign.key."
        const val LABEL = "countersign/association-key-alias/1\u0000"
    }
}
