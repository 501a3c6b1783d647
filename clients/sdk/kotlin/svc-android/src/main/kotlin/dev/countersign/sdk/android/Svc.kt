package dev.countersign.sdk.android

import android.content.Context
import android.net.Uri
import android.os.Looper
import android.util.Log
import androidx.fragment.app.FragmentManager
import dev.countersign.sdk.ANON
import dev.countersign.sdk.InvalidLinkReason
import dev.countersign.sdk.Session
import dev.countersign.sdk.SvcConfiguration
import dev.countersign.sdk.SvcCore
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.SvcPlatform
import kotlinx.coroutines.runBlocking
import java.io.File

/**
 * Approves and denies logins that were started in a browser. Give the configuration once, with
 * [Svc.configure], in `Application.onCreate`; every operation is then also there as `Svc.operation`.
 */
public class Svc(private val core: SvcCore) {
    /**
     * Returns the session id of a scanned or opened link. Fails with `SvcException.InvalidLink` unless the link
     * is an `https` one to a configured host.
     */
    public fun sessionId(link: String): Result<String> = core.sessionId(link)

    /** Opens a login. Call it on any thread. */
    public suspend fun initializeQrSession(
        appKey: String,
        sessionId: String,
        publicUserId: String? = null,
    ): Result<Session> = core.initializeQrSession(appKey, sessionId, publicUserId)

    /** Another name of [initializeQrSession]. */
    public suspend fun initiateQrSession(
        appKey: String,
        sessionId: String,
        publicUserId: String? = null,
    ): Result<Session> = initializeQrSession(appKey, sessionId, publicUserId)

    /**
     * Shows the default confirmation screen and sends the person's answer: true is a confirmation, false a
     * denial. Closing the screen fails with `SvcException.Cancelled` and sends nothing.
     */
    public suspend fun initializeDefaultConfirmationScreen(
        fm: FragmentManager,
        session: Session,
        payload: String,
    ): Result<Boolean> = showConfirmation(fm, session, payload, ::DefaultConfirmationDialog)

    /** Another name of [initializeDefaultConfirmationScreen]. */
    public suspend fun initializeDefaultScreen(
        fm: FragmentManager,
        session: Session,
        payload: String,
    ): Result<Boolean> = initializeDefaultConfirmationScreen(fm, session, payload)

    /** Makes a key pair for a name and returns its public key in Base64. The pair that was there is gone. */
    public fun generateAssociationKey(publicUserId: String = ANON): String = core.generateAssociationKey(publicUserId)

    /** Signs data with the key of a name. Throws `SvcException.ReservedData` for what only logins sign. */
    public fun generateUserSignature(publicUserId: String = ANON, data: String): String =
        core.generateUserSignature(publicUserId, data)

    /** Lists the names that have a key. */
    public fun listAssociationKey(): List<String> = core.listAssociationKey()

    /** Returns the public key of a name in Base64. */
    public fun getAssociationKey(publicUserId: String = ANON): String = core.getAssociationKey(publicUserId)

    /**
     * Opens the login of a link, shows the default confirmation screen and waits for the person. It blocks,
     * and fails with `SvcException.MainThread` on the main thread, which must draw the screen meanwhile.
     */
    public fun processLink(
        fragmentManager: FragmentManager,
        uri: Uri,
        appKey: String,
        payload: String,
        publicUserId: String? = null,
    ): Result<Boolean> {
        if (Looper.myLooper() == Looper.getMainLooper()) return Result.failure(SvcException.MainThread())
        val sessionId = sessionId(uri.toString()).getOrElse { error ->
            if ((error as? SvcException.InvalidLink)?.reason == InvalidLinkReason.SESSION_ID_MISSING) {
                Log.e(TAG, "the link has no sessionId and is not processed")
            }
            return Result.failure(error)
        }
        return runBlocking { easySvcAuth(fragmentManager, sessionId, appKey, payload, publicUserId) }
    }

    /** Opens a login, shows the default confirmation screen and sends the person's answer. */
    public suspend fun easySvcAuth(
        fragmentManager: FragmentManager,
        sessionId: String,
        appKey: String,
        payload: String,
        publicUserId: String? = null,
    ): Result<Boolean> =
        initializeQrSession(appKey, sessionId, publicUserId).fold(
            onSuccess = { initializeDefaultConfirmationScreen(fragmentManager, it, payload) },
            onFailure = {
                // This phone has answered before: the person is not asked again.
                if (it is SvcException.AlreadyAnswered) Result.success(it.confirmed) else Result.failure(it)
            },
        )

    /** The operations on the instance that [configure] made. */
    public companion object {
        private const val TAG = "Svc"

        @Volatile private var configured: Svc? = null

        /** The configured instance. Throws [IllegalStateException] before [configure]. */
        public val instance: Svc
            get() = checkNotNull(configured) { "call Svc.configure in Application.onCreate first" }

        /**
         * Configures the SDK. The default screens show contexts; say so with `showsContexts` in the
         * configuration unless a screen of your own does not.
         *
         * @param userAuthenticationSeconds see [KeystoreAssociationKeys]; 0 asks for no proof.
         */
        @JvmStatic
        @JvmOverloads
        public fun configure(
            context: Context,
            configuration: SvcConfiguration,
            userAuthenticationSeconds: Int = 0,
        ): Svc {
            // Not in backups: a restored copy would be the same phone.
            val directory = File(context.applicationContext.noBackupFilesDir, "countersign")
            val keys = KeystoreAssociationKeys(File(directory, "key-names"), userAuthenticationSeconds)
            return Svc(SvcCore(configuration, SvcPlatform.files(directory, keys))).also { configured = it }
        }

        public fun sessionId(link: String): Result<String> = instance.sessionId(link)

        public suspend fun initializeQrSession(
            appKey: String,
            sessionId: String,
            publicUserId: String? = null,
        ): Result<Session> = instance.initializeQrSession(appKey, sessionId, publicUserId)

        public suspend fun initiateQrSession(
            appKey: String,
            sessionId: String,
            publicUserId: String? = null,
        ): Result<Session> = instance.initiateQrSession(appKey, sessionId, publicUserId)

        public suspend fun initializeDefaultConfirmationScreen(
            fm: FragmentManager,
            session: Session,
            payload: String,
        ): Result<Boolean> = instance.initializeDefaultConfirmationScreen(fm, session, payload)

        public suspend fun initializeDefaultScreen(
            fm: FragmentManager,
            session: Session,
            payload: String,
        ): Result<Boolean> = instance.initializeDefaultScreen(fm, session, payload)

        public fun generateAssociationKey(publicUserId: String = ANON): String =
            instance.generateAssociationKey(publicUserId)

        public fun generateUserSignature(publicUserId: String = ANON, data: String): String =
            instance.generateUserSignature(publicUserId, data)

        public fun listAssociationKey(): List<String> = instance.listAssociationKey()

        public fun getAssociationKey(publicUserId: String = ANON): String = instance.getAssociationKey(publicUserId)

        public fun processLink(
            fragmentManager: FragmentManager,
            uri: Uri,
            appKey: String,
            payload: String,
            publicUserId: String? = null,
        ): Result<Boolean> = instance.processLink(fragmentManager, uri, appKey, payload, publicUserId)

        public suspend fun easySvcAuth(
            fragmentManager: FragmentManager,
            sessionId: String,
            appKey: String,
            payload: String,
            publicUserId: String? = null,
        ): Result<Boolean> = instance.easySvcAuth(fragmentManager, sessionId, appKey, payload, publicUserId)
    }
}
