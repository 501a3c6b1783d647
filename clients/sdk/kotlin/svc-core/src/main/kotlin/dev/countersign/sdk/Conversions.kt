package dev.countersign.sdk

import dev.countersign.sdk.ffi.ConfigurationException
import dev.countersign.sdk.ffi.Decision
import dev.countersign.sdk.ffi.InternalException
import dev.countersign.sdk.ffi.SdkException
import dev.countersign.sdk.ffi.Flag as NativeFlag
import dev.countersign.sdk.ffi.InvalidLinkReason as NativeReason
import dev.countersign.sdk.ffi.MobileTemplateResponse as NativeScreen
import dev.countersign.sdk.ffi.Place as NativePlace
import dev.countersign.sdk.ffi.RiskAnalytics as NativeRisk
import dev.countersign.sdk.ffi.RiskStatus as NativeRiskStatus
import dev.countersign.sdk.ffi.ScreenPlace as NativeScreenPlace
import dev.countersign.sdk.ffi.ServiceProblem as NativeProblem
import dev.countersign.sdk.ffi.Severity as NativeSeverity

/**
 * Returns a text, or throws if it contains half of a surrogate pair, which Rust's strings cannot represent.
 */
internal fun wellFormed(text: String): String {
    var at = 0
    while (at < text.length) {
        val unit = text[at]
        if (unit.isLowSurrogate()) throw SvcException.InvalidText()
        if (unit.isHighSurrogate()) {
            at += 1
            if (at == text.length || !text[at].isLowSurrogate()) throw SvcException.InvalidText()
        }
        at += 1
    }
    return text
}

/** Runs a call of the native library, and converts its exception to a [SvcException]. */
internal inline fun <T> native(call: () -> T): T =
    try {
        call()
    } catch (error: SdkException) {
        throw error.toSvc()
    } catch (error: ConfigurationException.Invalid) {
        throw SvcException.InvalidConfiguration(error.detail)
    } catch (error: InternalException) {
        throw SvcException.Internal(error.message ?: "the native library panicked")
    }

internal fun SdkException.toSvc(): SvcException =
    when (this) {
        is SdkException.Network -> SvcException.Network(detail)
        is SdkException.Problem -> SvcException.Problem(v1.toSvc())
        is SdkException.MalformedAnswer -> SvcException.MalformedAnswer("the service answered $v1")
        is SdkException.Expired -> SvcException.Expired(v1?.toSvc())
        is SdkException.Blocked -> SvcException.Blocked(v1.toSvc())
        is SdkException.Ended -> SvcException.Ended(v1.toSvc())
        is SdkException.NotFound -> SvcException.NotFound(v1.toSvc())
        is SdkException.RiskDenied -> SvcException.RiskDenied(v1.toSvc())
        is SdkException.ProofRequired -> SvcException.ProofRequired(v1.toSvc())
        is SdkException.KeyMismatch -> SvcException.KeyMismatch(v1)
        is SdkException.AlreadyAnswered -> SvcException.AlreadyAnswered(decision == Decision.CONFIRM, returnUrl)
        is SdkException.ContextUnsupported -> SvcException.ContextUnsupported()
        is SdkException.PlainRefused -> SvcException.PlainRefused()
        is SdkException.InvalidLink -> SvcException.InvalidLink(v1.toSvc())
        is SdkException.InvalidAppKey -> SvcException.InvalidAppKey()
        is SdkException.InvalidSessionId -> SvcException.InvalidSessionId()
        is SdkException.InvalidPublicUserId -> SvcException.InvalidPublicUserId()
        is SdkException.PayloadTooLong -> SvcException.PayloadTooLong()
        is SdkException.UnusableBrowserKey -> SvcException.UnusableBrowserKey()
        is SdkException.ProofTooLong -> SvcException.ProofTooLong()
        is SdkException.UnknownKey -> SvcException.UnknownKey()
        is SdkException.ReservedData -> SvcException.ReservedData()
        is SdkException.UserAuthenticationRequired -> SvcException.UserAuthenticationRequired()
        is SdkException.KeyStoreFailed -> SvcException.KeyStoreFailed(detail)
        is SdkException.StorageFailed -> SvcException.StorageFailed(detail)
        is SdkException.Cancelled -> SvcException.Cancelled()
        is SdkException.Internal -> SvcException.Internal(detail)
    }

private fun NativeProblem.toSvc() = ServiceProblem(status.toInt(), code, title, detail)

private fun NativeReason.toSvc() =
    when (this) {
        is NativeReason.Malformed -> InvalidLinkReason.MALFORMED
        NativeReason.SessionIdMissing -> InvalidLinkReason.SESSION_ID_MISSING
        NativeReason.HostNotAllowed -> InvalidLinkReason.HOST_NOT_ALLOWED
    }

internal fun NativeRisk.toSvc(): RiskAnalytics =
    RiskAnalytics(
        when (riskStatus) {
            NativeRiskStatus.CLEAR -> RiskStatus.CLEAR
            NativeRiskStatus.WARN -> RiskStatus.WARN
            NativeRiskStatus.DENY -> RiskStatus.DENY
        },
        riskFlagString,
        GeoData(geoData.mobile.toSvc(), geoData.browser.toSvc()),
    )

private fun NativePlace.toSvc() = Place(city, countryCode)

internal fun NativeScreen.toSvc(): MobileTemplateResponse =
    MobileTemplateResponse(
        title,
        message,
        widget.toSvc(),
        mobile.toSvc(),
        ScreenBrowser(userAgent.name, userAgent.issue),
        flags.map(NativeFlag::toSvc),
        attributions.map { Attribution(it.text, it.url) },
    )

private fun NativeScreenPlace.toSvc() = ScreenPlace(location, issue)

private fun NativeFlag.toSvc() =
    Flag(
        code,
        when (severity) {
            NativeSeverity.INFO -> Severity.INFO
            NativeSeverity.WARN -> Severity.WARN
            NativeSeverity.DENY -> Severity.DENY
        },
        text,
    )
