package dev.countersign.sdk.compose

import dev.countersign.sdk.Session
import java.util.Collections
import java.util.WeakHashMap

/** The user of a login: a login that was opened for one user is never shown to another. */
internal data class LoginKey(
    /** The SDK that opens it, compared by identity. */
    val svc: Any,
    val appKey: String,
    val sessionId: String,
    val publicUserId: String?,
)

/**
 * The logins that sheets ask about, so that a recreated activity can continue with them. They are lost when
 * the process dies. For the main thread only.
 */
internal class OpenLogins {
    private class Entry(val login: OpenLogin, var key: LoginKey?)

    private val entries = mutableListOf<Entry>()
    private val finished: MutableSet<Session> = Collections.newSetFromMap(WeakHashMap())

    /** Returns the session that was opened for this key, or null. */
    fun session(key: LoginKey): Session? {
        removeExpired()
        return entries.firstOrNull { it.key == key }?.login?.session
    }

    /** Keeps a session that was opened for this key. */
    fun put(key: LoginKey, session: Session) {
        entry(session).key = key
    }

    /** Returns the login of this session, or null if its result has been reported. */
    fun login(session: Session): OpenLogin? = if (isFinished(session)) null else entry(session).login

    /** Whether the result of this session has been reported. */
    fun isFinished(session: Session): Boolean = session in finished

    /** Removes a login whose result is being reported. */
    fun finish(login: OpenLogin) {
        finished += login.session
        entries.removeAll { it.login === login }
    }

    private fun entry(session: Session): Entry =
        entries.firstOrNull { it.login.session === session } ?: run {
            removeExpired()
            Entry(OpenLogin(session), null).also(entries::add)
        }

    private fun removeExpired() {
        entries.removeAll { it.login.session.timeLeftMillis() <= 0 }
    }

    companion object {
        /** The logins of this process. */
        val ofProcess = OpenLogins()
    }
}
