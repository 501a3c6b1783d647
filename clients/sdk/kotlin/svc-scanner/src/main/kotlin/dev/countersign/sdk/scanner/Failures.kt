package dev.countersign.sdk.scanner

import dev.countersign.sdk.InvalidLinkReason
import dev.countersign.sdk.ServiceProblem
import dev.countersign.sdk.SvcException

/** Failures as texts that can be passed between activities. */
internal object Failures {
    private const val CODE = "code"
    private const val DETAIL = "detail"
    private const val REASON = "reason"
    private const val CONFIRMED = "confirmed"
    private const val STATUS = "problem.status"
    private const val PROBLEM = "problem.code"
    private const val TITLE = "problem.title"
    private const val PROBLEM_DETAIL = "problem.detail"

    /** Names of all texts that a failure may have. */
    val names: List<String> = listOf(CODE, DETAIL, REASON, CONFIRMED, STATUS, PROBLEM, TITLE, PROBLEM_DETAIL)

    /** Returns a failure as texts by name. Anything that is not an [SvcException] is an internal error. */
    fun write(error: Throwable): Map<String, String> {
        val failure = error as? SvcException ?: SvcException.Internal("$error")
        return buildMap {
            put(CODE, failure.code)
            failure.message?.let { put(DETAIL, it) }
            if (failure is SvcException.InvalidLink) put(REASON, failure.reason.name)
            if (failure is SvcException.AlreadyAnswered) put(CONFIRMED, "${failure.confirmed}")
            failure.problem?.let { problem ->
                put(STATUS, "${problem.status}")
                put(PROBLEM, problem.code)
                put(TITLE, problem.title)
                problem.detail?.let { put(PROBLEM_DETAIL, it) }
            }
        }
    }

    /** Reads a failure. Returns null if there is none. */
    fun read(texts: Map<String, String>): SvcException? {
        val code = texts[CODE] ?: return null
        val detail = texts[DETAIL].orEmpty()
        return refusal(code, problem(texts))
            ?: withDetail(code, detail)
            ?: plain(code)
            ?: special(code, texts)
            ?: SvcException.Internal(detail)
    }

    private fun problem(texts: Map<String, String>): ServiceProblem? {
        val status = texts[STATUS]?.toIntOrNull() ?: return null
        return ServiceProblem(status, texts[PROBLEM] ?: return null, texts[TITLE].orEmpty(), texts[PROBLEM_DETAIL])
    }

    private fun refusal(code: String, problem: ServiceProblem?): SvcException? {
        if (code == "expired") return SvcException.Expired(problem)
        if (problem == null) return null
        return when (code) {
            "problem" -> SvcException.Problem(problem)
            "blocked" -> SvcException.Blocked(problem)
            "ended" -> SvcException.Ended(problem)
            "not_found" -> SvcException.NotFound(problem)
            "risk_denied" -> SvcException.RiskDenied(problem)
            "proof_required" -> SvcException.ProofRequired(problem)
            else -> null
        }
    }

    private fun withDetail(code: String, detail: String): SvcException? =
        when (code) {
            "network" -> SvcException.Network(detail)
            "malformed_answer" -> SvcException.MalformedAnswer(detail)
            "key_mismatch" -> SvcException.KeyMismatch(detail)
            "key_store_failed" -> SvcException.KeyStoreFailed(detail)
            "storage_failed" -> SvcException.StorageFailed(detail)
            "invalid_configuration" -> SvcException.InvalidConfiguration(detail)
            "camera_unavailable" -> SvcException.CameraUnavailable(detail)
            else -> null
        }

    private fun plain(code: String): SvcException? =
        when (code) {
            "context_unsupported" -> SvcException.ContextUnsupported()
            "plain_refused" -> SvcException.PlainRefused()
            "invalid_app_key" -> SvcException.InvalidAppKey()
            "invalid_session_id" -> SvcException.InvalidSessionId()
            "invalid_public_user_id" -> SvcException.InvalidPublicUserId()
            "invalid_text" -> SvcException.InvalidText()
            "payload_too_long" -> SvcException.PayloadTooLong()
            "unusable_browser_key" -> SvcException.UnusableBrowserKey()
            "proof_too_long" -> SvcException.ProofTooLong()
            "unknown_key" -> SvcException.UnknownKey()
            "reserved_data" -> SvcException.ReservedData()
            "user_authentication_required" -> SvcException.UserAuthenticationRequired()
            "cancelled" -> SvcException.Cancelled()
            "main_thread" -> SvcException.MainThread()
            "screen_unavailable" -> SvcException.ScreenUnavailable()
            "browser_unavailable" -> SvcException.BrowserUnavailable()
            "closed" -> SvcException.Closed()
            else -> null
        }

    private fun special(code: String, texts: Map<String, String>): SvcException? =
        when (code) {
            // The page's address is not passed on, because it contains a token.
            "already_answered" -> SvcException.AlreadyAnswered(texts[CONFIRMED].toBoolean(), null)
            "invalid_link" ->
                InvalidLinkReason.entries.firstOrNull { it.name == texts[REASON] }?.let(SvcException::InvalidLink)
            else -> null
        }
}
