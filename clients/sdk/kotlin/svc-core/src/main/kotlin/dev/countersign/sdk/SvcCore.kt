package dev.countersign.sdk

import dev.countersign.sdk.ffi.Client
import dev.countersign.sdk.ffi.Timer
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.delay
import java.util.concurrent.Executor

/** The public user id for no particular user: the default of all association key functions. */
public const val ANON: String = "ANON"

/**
 * The SDK of an app, without screens. Thread-safe; one instance serves the whole app.
 *
 * Suspend functions can be called on any thread, return failures as [SvcException], and let cancellation
 * through: a cancelled call can be repeated, and then continues with the same login. The functions for
 * association keys may block, and may throw [SvcException].
 *
 * @throws SvcException.InvalidConfiguration if the configuration is invalid.
 */
public class SvcCore(configuration: SvcConfiguration, platform: SvcPlatform) : AutoCloseable {
    private val client =
        native {
            Client(
                configuration.toNative(),
                platform.http,
                DelayTimer,
                platform.secrets,
                platform.answers,
                platform.keys,
            )
        }

    @Volatile private var isClosed = false

    /**
     * Returns the session id of a scanned or opened link: the first `sessionId` of its query. Fails
     * with [SvcException.InvalidLink].
     */
    public fun sessionId(link: String): Result<String> =
        svcResult { open { client.sessionId(wellFormed(link)) } }

    /** The same as [sessionId] for Java, where it throws [SvcException.InvalidLink]. */
    @Throws(SvcException::class)
    public fun sessionIdOf(link: String): String = sessionId(link).getOrThrow()

    /**
     * Opens a login, and checks that its id matches the service's answer.
     *
     * Opening it again continues with the same login. If this phone has stored an answer to it, that answer
     * is sent again instead, and the call fails with [SvcException.AlreadyAnswered].
     *
     * @param publicUserId the user; `null` or [ANON] if there is no user.
     */
    public suspend fun initializeQrSession(
        appKey: String,
        sessionId: String,
        publicUserId: String? = null,
    ): Result<Session> =
        offMain {
            val user = publicUserId?.let(::wellFormed)
            open { NativeBackedSession(client.initializeQrSession(wellFormed(appKey), wellFormed(sessionId), user)) }
        }

    /** The same as [initializeQrSession]: both names are in use. */
    public suspend fun initiateQrSession(
        appKey: String,
        sessionId: String,
        publicUserId: String? = null,
    ): Result<Session> = initializeQrSession(appKey, sessionId, publicUserId)

    /** The same as the suspend function, for Java. The callback is called on the executor. */
    public fun initializeQrSession(
        appKey: String,
        sessionId: String,
        publicUserId: String?,
        executor: Executor,
        callback: SvcCallback<Session>,
    ): SvcCall = svcCall(executor, callback) { initializeQrSession(appKey, sessionId, publicUserId) }

    /** The same as the suspend function, for Java. The callback is called on the executor. */
    public fun initiateQrSession(
        appKey: String,
        sessionId: String,
        publicUserId: String?,
        executor: Executor,
        callback: SvcCallback<Session>,
    ): SvcCall = initializeQrSession(appKey, sessionId, publicUserId, executor, callback)

    /**
     * Generates a persistent key pair for a user, and returns the public key: X.509 `SubjectPublicKeyInfo` in
     * Base64. An existing pair of the user is replaced and lost: servers must get the new public key.
     */
    @JvmOverloads
    public fun generateAssociationKey(publicUserId: String = ANON): String =
        open { client.generateAssociationKey(wellFormed(publicUserId)) }

    /** Returns a user's public key in Base64. Throws [SvcException.UnknownKey] if there is none. */
    @JvmOverloads
    public fun getAssociationKey(publicUserId: String = ANON): String =
        open { client.getAssociationKey(wellFormed(publicUserId)) }

    /** Returns the public user ids of all stored association keys, sorted. */
    public fun listAssociationKey(): List<String> = open { client.listAssociationKey() }

    /**
     * Signs data with a user's key: ECDSA with SHA-256 over the data in UTF-8, DER, in Base64. Throws
     * [SvcException.ReservedData] for data that could be the proof of a login.
     */
    public fun generateUserSignature(publicUserId: String = ANON, data: String): String =
        open { client.generateUserSignature(wellFormed(publicUserId), wellFormed(data)) }

    /**
     * Frees the native resources. Open sessions stay usable, and calls in progress continue; later calls fail
     * with [SvcException.Closed].
     */
    override fun close() {
        isClosed = true
        client.close()
    }

    private inline fun <T> open(call: () -> T): T =
        try {
            native(call)
        } catch (error: CancellationException) {
            throw error
        } catch (error: IllegalStateException) {
            // The bindings throw it for an object that was freed.
            throw if (isClosed) SvcException.Closed() else error
        }
}

/** Waits without blocking a thread. */
private object DelayTimer : Timer {
    override suspend fun sleep(millis: ULong) = delay(millis.toLong())
}
