package dev.countersign.sdk.android

import java.io.File
import java.io.IOException
import java.security.MessageDigest

/**
 * Names of association keys, one file each. The Keystore knows a key only by a hash, since a name may be
 * an e-mail address, and aliases show up in logs of the system.
 */
internal class KeyNames(private val directory: File) {
    /** Returns the Keystore's alias of a name. */
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

    /** Returns all names. Skips a file whose content is not its name, such as half a file. */
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
