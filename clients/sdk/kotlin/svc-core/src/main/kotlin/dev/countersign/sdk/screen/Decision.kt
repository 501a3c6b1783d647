package dev.countersign.sdk.screen

import dev.countersign.sdk.Session
import dev.countersign.sdk.SvcException

/** Milliseconds for which the confirm button stays disabled, to prevent accidental confirmations. */
public const val CONFIRM_DELAY_MILLIS: Long = 1_000

/** A user's decision on a screen. */
public enum class Decision {
    CONFIRM,
    DENY,
}

/**
 * Sends a decision and returns the result of the screen: true for a confirmation, false for a denial. A denial
 * contains [Session.denialPayload] and never the payload, because the service could read it and it may be a
 * token.
 */
public suspend fun Session.send(decision: Decision, payload: String): Result<Boolean> =
    when (decision) {
        Decision.CONFIRM -> confirm(payload)
        Decision.DENY -> deny(denialPayload).map { false }
    }

/**
 * Returns this phone's earlier answer as a success: the user is not asked again. If it is a confirmation with
 * a page, the page is opened as in [andReturnTo].
 */
public inline fun Result<Boolean>.orFormerAnswer(open: (String) -> Boolean): Result<Boolean> {
    val former = exceptionOrNull() as? SvcException.AlreadyAnswered ?: return this
    return Result.success(former.confirmed).andReturnTo(former.returnUrl, open)
}

/** Opens a page after a confirmation, and fails unless [open] returns true. */
public inline fun Result<Boolean>.andReturnTo(page: String?, open: (String) -> Boolean): Result<Boolean> =
    if (getOrNull() != true || page == null || open(page)) {
        this
    } else {
        Result.failure(SvcException.BrowserUnavailable())
    }
