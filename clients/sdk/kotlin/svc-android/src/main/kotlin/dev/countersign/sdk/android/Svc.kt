package dev.countersign.sdk.android

import android.content.Context
import android.net.Uri
import android.os.Looper
import android.util.Log
import androidx.fragment.app.FragmentManager
import dev.countersign.sdk.ANON
import dev.countersign.sdk.Session
import dev.countersign.sdk.SvcCall
import dev.countersign.sdk.SvcCallback
import dev.countersign.sdk.SvcConfiguration
import dev.countersign.sdk.SvcCore
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.SvcPlatform
import dev.countersign.sdk.screen.orFormerAnswer
import dev.countersign.sdk.svcCall
import kotlinx.coroutines.runBlocking
import java.io.File
import java.util.concurrent.Executor

/**
 * Approves and denies logins that were started in a browser. Configure it once, with [Svc.configure] in
 * `Application.onCreate`; every operation is then also available as `Svc.operation`.
 *
 * Functions for association keys may block and may throw `SvcException`: do not call them on the main thread.
 *
 * @property allowsScreenshots whether screenshots of confirmation screens are allowed.
 */
public class Svc(
    private val core: SvcCore,
    public val allowsScreenshots: Boolean = true,
) {
    /**
     * Returns the session id of a scanned or opened link. Fails with `SvcException.InvalidLink` unless the link
     * is an `https` link to a configured host.
     */
    public fun sessionId(link: String): Result<String> = core.sessionId(link)

    /** Opens a login. It can be called on any thread. */
    public suspend fun initializeQrSession(
        appKey: String,
        sessionId: String,
        publicUserId: String? = null,
    ): Result<Session> = core.initializeQrSession(appKey, sessionId, publicUserId)

    /** Alias of [initializeQrSession]. */
    public suspend fun initiateQrSession(
        appKey: String,
        sessionId: String,
        publicUserId: String? = null,
    ): Result<Session> = initializeQrSession(appKey, sessionId, publicUserId)

    /**
     * Shows the default confirmation screen and sends the user's answer: true is a confirmation, false a
     * denial. Closing the screen fails with `SvcException.Cancelled` and sends nothing.
     *
     * The screen survives recreation of its activity, and a stopped activity shows it when it is back. It
     * fails with `SvcException.Expired` when the login expires, and with `ScreenUnavailable` if the activity
     * was destroyed before it could show the screen. A second call for a login whose screen is open joins the
     * first: both get its result, and the second payload is not used. Cancelling the last call closes the
     * screen, unless the user has answered.
     *
     * After a confirmation, it opens the session's `returnUrl`, if there is one, in the phone's browser. If
     * that fails, the result is `SvcException.BrowserUnavailable`.
     */
    public suspend fun initializeDefaultConfirmationScreen(
        fm: FragmentManager,
        session: Session,
        payload: String,
    ): Result<Boolean> = initializeConfirmationScreen(fm, session, payload, ::DefaultConfirmationDialog)

    /** Alias of [initializeDefaultConfirmationScreen]. */
    public suspend fun initializeDefaultScreen(
        fm: FragmentManager,
        session: Session,
        payload: String,
    ): Result<Boolean> = initializeDefaultConfirmationScreen(fm, session, payload)

    /** Does the same as [initializeDefaultConfirmationScreen], with the app's own dialog. */
    public suspend fun initializeConfirmationScreen(
        fm: FragmentManager,
        session: Session,
        payload: String,
        dialog: () -> BaseConfirmationDialog,
    ): Result<Boolean> = confirmOnScreen(fm, session, payload, allowsScreenshots, dialog)

    /**
     * Generates a key pair for a name and returns its public key in Base64. An existing pair of this name is deleted.
     */
    public fun generateAssociationKey(publicUserId: String = ANON): String = core.generateAssociationKey(publicUserId)

    /**
     * Signs data with the key of a name. Throws `SvcException.ReservedData` for data that only logins may sign.
     */
    public fun generateUserSignature(publicUserId: String = ANON, data: String): String =
        core.generateUserSignature(publicUserId, data)

    /** Lists the names that have a key. */
    public fun listAssociationKey(): List<String> = core.listAssociationKey()

    /** Returns the public key of a name in Base64. Throws `SvcException.UnknownKey` if there is none. */
    public fun getAssociationKey(publicUserId: String = ANON): String = core.getAssociationKey(publicUserId)

    /**
     * Opens the login of a link, shows the default confirmation screen and waits for the user, at most until
     * the login expires. It blocks, and fails with `SvcException.MainThread` on the main thread, which has to
     * draw the screen in the meantime. A link without a `sessionId`, or to another host, is logged and
     * ignored.
     */
    public fun processLink(
        fragmentManager: FragmentManager,
        uri: Uri,
        appKey: String,
        payload: String,
        publicUserId: String? = null,
    ): Result<Boolean> {
        if (Looper.myLooper() == Looper.getMainLooper()) return Result.failure(SvcException.MainThread())
        val sessionId = linkedSession(uri).getOrElse { return Result.failure(it) }
        return runBlocking { easySvcAuth(fragmentManager, sessionId, appKey, payload, publicUserId) }
    }

    /**
     * Opens a login, shows the default confirmation screen and sends the user's answer. If this phone has already
     * answered, that answer is the result, and a confirmation leads back to its page.
     */
    public suspend fun easySvcAuth(
        fragmentManager: FragmentManager,
        sessionId: String,
        appKey: String,
        payload: String,
        publicUserId: String? = null,
    ): Result<Boolean> =
        initializeQrSession(appKey, sessionId, publicUserId).fold(
            onSuccess = { initializeDefaultConfirmationScreen(fragmentManager, it, payload) },
            onFailure = { error ->
                Result.failure<Boolean>(error).orFormerAnswer { page ->
                    when (PageOpener.open(fragmentManager, page)) {
                        PageOpener.Outcome.OPENED -> true
                        PageOpener.Outcome.NO_BROWSER -> false
                        PageOpener.Outcome.NO_ACTIVITY -> return Result.failure(SvcException.ScreenUnavailable())
                    }
                }
            },
        )

    /** The same as [sessionId] for Java, where it throws `SvcException.InvalidLink`. */
    @Throws(SvcException::class)
    public fun sessionIdOf(link: String): String = core.sessionIdOf(link)

    /** The same as the suspend function, for Java. The callback is called on the executor. */
    public fun initializeQrSession(
        appKey: String,
        sessionId: String,
        publicUserId: String?,
        executor: Executor,
        callback: SvcCallback<Session>,
    ): SvcCall = core.initializeQrSession(appKey, sessionId, publicUserId, executor, callback)

    /** The same as the suspend function, for Java. The callback is called on the executor. */
    public fun initializeDefaultConfirmationScreen(
        fm: FragmentManager,
        session: Session,
        payload: String,
        executor: Executor,
        callback: SvcCallback<Boolean>,
    ): SvcCall = svcCall(executor, callback) { initializeDefaultConfirmationScreen(fm, session, payload) }

    /**
     * Does what [processLink] does, for Java: it returns immediately, so it can be called on any thread. The
     * callback is called on the executor.
     */
    public fun processLink(
        fragmentManager: FragmentManager,
        uri: Uri,
        appKey: String,
        payload: String,
        publicUserId: String?,
        executor: Executor,
        callback: SvcCallback<Boolean>,
    ): SvcCall =
        svcCall(executor, callback) {
            linkedSession(uri).mapCatching { sessionId ->
                easySvcAuth(fragmentManager, sessionId, appKey, payload, publicUserId).getOrThrow()
            }
        }

    private fun linkedSession(uri: Uri): Result<String> =
        sessionId(uri.toString()).onFailure { error ->
            // Without the link, because its session id must not be logged.
            Log.e(TAG, "the link is not processed: ${error.message}")
        }

    /** The operations on the instance that [configure] created. */
    public companion object {
        private const val TAG = "Svc"

        @Volatile private var configured: Svc? = null

        /** The configured instance. Throws [IllegalStateException] before [configure]. */
        @JvmStatic
        public val instance: Svc
            get() = checkNotNull(configured) { "call Svc.configure in Application.onCreate first" }

        /**
         * Configures the SDK. Without a [configuration], that of the manifest is used: `<meta-data>` elements
         * in its `<application>`, called `dev.countersign.sdk.SERVICE_URL`, `.LINK_HOSTS` (separated by
         * commas), and if needed `.SHOWS_CONTEXTS`, `.ACCEPTS_PLAIN_LOGINS` and `.RETURNS_TO_PAGES` (false by
         * default), and `.DENIAL_PAYLOAD`. Throws `SvcException.InvalidConfiguration`.
         *
         * Set `showsContexts` if all logins are confirmed on the default screens, which show contexts, or on
         * the app's own screens that show them.
         *
         * @param userAuthenticationSeconds see [KeystoreAssociationKeys]; 0 asks for no proof.
         * @param allowsScreenshots whether screenshots of confirmation screens are allowed.
         */
        @JvmStatic
        @JvmOverloads
        public fun configure(
            context: Context,
            configuration: SvcConfiguration = manifestConfiguration(context),
            userAuthenticationSeconds: Int = 0,
            allowsScreenshots: Boolean = true,
        ): Svc {
            // Not in backups: a restored copy would be the same phone.
            val directory = File(context.applicationContext.noBackupFilesDir, "countersign")
            val keys = KeystoreAssociationKeys(File(directory, "key-names"), userAuthenticationSeconds)
            val core = SvcCore(configuration, SvcPlatform.files(directory, keys))
            return Svc(core, allowsScreenshots).also { configured = it }
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

        public suspend fun initializeConfirmationScreen(
            fm: FragmentManager,
            session: Session,
            payload: String,
            dialog: () -> BaseConfirmationDialog,
        ): Result<Boolean> = instance.initializeConfirmationScreen(fm, session, payload, dialog)

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
