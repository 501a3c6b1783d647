package dev.countersign.sdk

import dev.countersign.sdk.messages.Messages
import java.util.Locale

/**
 * Why an operation failed. [message] is for logs, [code] is stable and for programs, and [messageFor] is for
 * users.
 */
public sealed class SvcException(
    public val code: String,
    message: String,
    /** The service's answer, if it refused the request. */
    public val problem: ServiceProblem? = null,
    /** Whether the login has ended for this phone. */
    public val endsLogin: Boolean = false,
) : Exception(message) {
    /** Returns a sentence for users: in English if the SDK does not have the language. */
    @JvmOverloads
    public fun messageFor(locale: Locale = Locale.getDefault()): String = Messages.of(locale, code)

    /** The service could not be reached, or did not answer in time. Trying again continues with the login. */
    public class Network(detail: String) : SvcException("network", detail)

    /** The service refused the request, for a reason without a class of its own. */
    public class Problem(problem: ServiceProblem) : SvcException("problem", "$problem", problem)

    /** The answer is not from a Countersign service. */
    public class MalformedAnswer(detail: String) : SvcException("malformed_answer", detail)

    /** The login has expired. [problem] is `null` if the phone's clock says so. */
    public class Expired(problem: ServiceProblem?) :
        SvcException("expired", "the login has expired", problem, endsLogin = true)

    /** Another phone opened the code, or the service refused because of the risk. */
    public class Blocked(problem: ServiceProblem) :
        SvcException("blocked", "the login is blocked: $problem", problem, endsLogin = true)

    /** The login has already been confirmed, denied or cancelled. */
    public class Ended(problem: ServiceProblem) :
        SvcException("ended", "the login has ended: $problem", problem, endsLogin = true)

    /** The app has no such login, or it expired before it was opened. */
    public class NotFound(problem: ServiceProblem) :
        SvcException("not_found", "there is no such login: $problem", problem, endsLogin = true)

    /** The risk is too high to confirm. The login is now blocked. */
    public class RiskDenied(problem: ServiceProblem) :
        SvcException("risk_denied", "the risk is too high: $problem", problem, endsLogin = true)

    /** The login requires a proof, and the user has no key, or none that is registered. */
    public class ProofRequired(problem: ServiceProblem) :
        SvcException("proof_required", "the login needs a proof: $problem", problem)

    /** The id does not match the service's answer. The SDK has reported this to the service. */
    public class KeyMismatch(detail: String) :
        SvcException("key_mismatch", detail, endsLogin = true)

    /**
     * This phone has already answered the login. From `initializeQrSession`, it means that the service has
     * the answer: a flow returns success([confirmed]) without asking again.
     *
     * For a confirmation, [returnUrl] is the value of [Session.returnUrl]: open it now, and do not log it.
     */
    public class AlreadyAnswered(public val confirmed: Boolean, public val returnUrl: String?) : SvcException(
        "already_answered",
        "this phone has ${if (confirmed) "confirmed" else "denied"} the login already",
    )

    /** The login has a context, and [SvcConfiguration.showsContexts] is not set. */
    public class ContextUnsupported :
        SvcException("context_unsupported", "the login has a context, which this app does not show")

    /** The login's browser has no key, and [SvcConfiguration.acceptsPlainLogins] is not set. */
    public class PlainRefused :
        SvcException("plain_refused", "the login's browser has no key, and this app takes no such logins")

    /** The text is not a link that the app opens. */
    public class InvalidLink(public val reason: InvalidLinkReason) :
        SvcException("invalid_link", reason.description)

    /** The app key is malformed. */
    public class InvalidAppKey : SvcException("invalid_app_key", "the app key is malformed")

    /** The session id is malformed. */
    public class InvalidSessionId : SvcException("invalid_session_id", "the session id is malformed")

    /** The public user id is malformed. */
    public class InvalidPublicUserId : SvcException(
        "invalid_public_user_id",
        "a public user id is 1 to 256 characters without control characters",
    )

    /** A text contains half of a surrogate pair: it is not valid Unicode, and cannot be sent or signed. */
    public class InvalidText : SvcException("invalid_text", "a text has half of a surrogate pair")

    /** The payload is too large for a request. */
    public class PayloadTooLong : SvcException("payload_too_long", "the payload is too long")

    /** The browser's key is not on its curve, so nothing can be encrypted for it. */
    public class UnusableBrowserKey :
        SvcException("unusable_browser_key", "the browser's key is not a point of the curve P-256")

    /** The proof would be too long, because the user id and the origin are. */
    public class ProofTooLong :
        SvcException("proof_too_long", "the user id and the origin are too long for a proof")

    /** The phone has no association key for this user. */
    public class UnknownKey : SvcException("unknown_key", "there is no association key of this user")

    /** The data could be the proof of a login, which the SDK only signs when confirming. */
    public class ReservedData : SvcException("reserved_data", "the data could be the proof of a login")

    /** The association key can only be used after the user has unlocked it. */
    public class UserAuthenticationRequired : SvcException(
        "user_authentication_required",
        "the association key can only be used after the user has unlocked it",
    )

    /** The platform's key store failed. */
    public class KeyStoreFailed(detail: String) : SvcException("key_store_failed", detail)

    /** The platform's store for secrets or answers failed. */
    public class StorageFailed(detail: String) : SvcException("storage_failed", detail)

    /** The configuration is invalid. */
    public class InvalidConfiguration(detail: String) : SvcException("invalid_configuration", detail)

    /** The user closed the screen without a decision, and nothing was sent. Returned by screens. */
    public class Cancelled :
        SvcException("cancelled", "the user closed the screen without a decision")

    /** The scanner has no camera that it may use. */
    public class CameraUnavailable(detail: String) : SvcException("camera_unavailable", detail)

    /** The activity was destroyed before it could show the screen. The user was not asked: call again. */
    public class ScreenUnavailable :
        SvcException("screen_unavailable", "the activity was destroyed before it could show the screen")

    /**
     * The login is confirmed, but its page could not be opened in a browser, so the login cannot be
     * completed. The user has to start again with a new code. Returned by screens.
     */
    public class BrowserUnavailable : SvcException(
        "browser_unavailable",
        "the login is confirmed, but its page could not be opened in a browser",
        endsLogin = true,
    )

    /** A call that waits for the user was made on the main thread, which has to draw the screen. */
    public class MainThread : SvcException(
        "main_thread",
        "this call waits for the user: call it on a thread other than the main thread",
    )

    /** The call was made after [SvcCore.close]. */
    public class Closed : SvcException("closed", "the call was made after SvcCore.close")

    /** An internal error of the SDK. */
    public class Internal(detail: String) : SvcException("internal", detail)
}

/** The reason why a text is not a link that the app opens. */
public enum class InvalidLinkReason(internal val description: String) {
    /** The text is not the link to a login. */
    MALFORMED("the text is not the link to a login"),

    /** The link has no `sessionId`: log it, and open nothing. */
    SESSION_ID_MISSING("the link has no sessionId"),

    /** The link's host is not one of [SvcConfiguration.linkHosts]. */
    HOST_NOT_ALLOWED("the link's host is not one of this app's"),
}

/** The service's answer to a request that it refused (RFC 9457). */
public data class ServiceProblem(
    val status: Int,
    val code: String,
    val title: String,
    val detail: String?,
) {
    override fun toString(): String = "$code ($status): $title" + (detail?.let { ": $it" } ?: "")
}
