package dev.countersign.sdk

import dev.countersign.sdk.ffi.AnswerStore
import dev.countersign.sdk.ffi.AssociationKeys
import dev.countersign.sdk.ffi.Http
import dev.countersign.sdk.ffi.SecretStore
import dev.countersign.sdk.ffi.fileAnswers
import dev.countersign.sdk.ffi.fileAssociationKeys
import dev.countersign.sdk.ffi.fileSecrets
import java.io.File

/**
 * The services that a platform provides to the SDK.
 *
 * @property http sends requests.
 * @property secrets keeps the device secret, which no backup may carry.
 * @property answers keeps answers until their logins have ended.
 * @property keys keeps association keys, and signs with them.
 */
public class SvcPlatform(
    public val http: Http = UrlConnectionHttp(),
    public val secrets: SecretStore,
    public val answers: AnswerStore,
    public val keys: AssociationKeys,
) {
    public companion object {
        /**
         * Returns a platform with all stores in files of this directory that only their owner can read
         * (0600): for the JVM and for tests.
         */
        @JvmStatic
        @JvmOverloads
        public fun files(directory: File, http: Http = UrlConnectionHttp()): SvcPlatform =
            files(directory, fileAssociationKeys(File(directory, "keys").path), http)

        /**
         * Returns a platform with secrets and answers in files of this directory, and with the given keys.
         */
        @JvmStatic
        @JvmOverloads
        public fun files(
            directory: File,
            keys: AssociationKeys,
            http: Http = UrlConnectionHttp(),
        ): SvcPlatform =
            SvcPlatform(
                http,
                fileSecrets(File(directory, "secret").path),
                fileAnswers(File(directory, "answers").path),
                keys,
            )
    }
}
