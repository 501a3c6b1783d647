package dev.countersign.sdk

import java.util.concurrent.Executor

/**
 * A login that this phone has opened and the user can decide. Thread-safe.
 *
 * It is an interface, so that tests of a screen can supply their own.
 */
@Suppress("PropertyName")
public interface Session {
    /** The session id. */
    public val sessionId: String

    /** The phone's address, as the service saw it. */
    public val iPAddressMobile: String?

    /** The browser's address, as the service saw it. */
    public val iPAddressWidget: String?

    /** The risk, if the service assessed it. */
    public val riskAnalytics: RiskAnalytics?

    /** The texts of the confirmation screen. */
    public val mobileTemplateResponse: MobileTemplateResponse

    /** The app's name in the service. */
    public val appName: String

    /** The origin of the page to which the user logs in, such as `https://shop.example`. */
    public val origin: String

    /** The text that the user approves: up to 12 lines. A screen must show all of it. */
    public val context: String?

    /** The two digits that the user types in the browser after confirming. */
    public val checkCode: String?

    /**
     * The page to open in the phone's browser after a confirmation, if the link was opened on this phone and
     * [SvcConfiguration.returnsToPages] is set: the login can only be completed there. It contains a one-time
     * token, so do not log it. A login has this or a [checkCode], never both.
     */
    public val returnUrl: String?

    /** The payload that the default screens send with a denial: [SvcConfiguration.denialPayload]. */
    public val denialPayload: String get() = ""

    /** Whether only the browser can read a confirmation's payload. */
    public val isEncrypted: Boolean

    /** The time until which the user can decide, by the service's clock, in milliseconds since 1970. */
    public val expiresAtMillis: Long

    /** Milliseconds in which the user can still decide; 0 once the login has expired. */
    public fun timeLeftMillis(): Long

    /**
     * Confirms the login, and passes the payload to the page.
     *
     * The answer is stored before it is sent. Confirming again sends the same bytes, whatever the payload. A
     * failure is a [SvcException]; cancellation is always thrown, never returned as a failure.
     */
    public suspend fun confirm(payload: String): Result<Boolean>

    /**
     * Denies the login. The payload is for the app's server and readable to the service: it must not be the
     * payload of a confirmation, and is usually empty.
     */
    public suspend fun deny(payload: String): Result<Boolean>

    /** Confirms the login, for Java. The callback is called on the executor. */
    public fun confirm(payload: String, executor: Executor, callback: SvcCallback<Boolean>): SvcCall =
        svcCall(executor, callback) { confirm(payload) }

    /** Denies the login, for Java. The callback is called on the executor. */
    public fun deny(payload: String, executor: Executor, callback: SvcCallback<Boolean>): SvcCall =
        svcCall(executor, callback) { deny(payload) }
}

/** The risk of a login. */
public data class RiskAnalytics(
    val riskStatus: RiskStatus,
    /** The reasons for the risk, as sentences for users, if the status is warn or deny. */
    val riskFlagString: String?,
    val geoData: GeoData,
)

/** The risk of a login. */
public enum class RiskStatus(public val value: String) {
    /** Nothing unusual. */
    CLEAR("clear"),

    /** The user should look closely. */
    WARN("warn"),

    /** The service refuses a confirmation. A screen offers no way to confirm. */
    DENY("deny"),
    ;

    override fun toString(): String = value
}

/** The places of the phone and the browser. */
public data class GeoData(val mobile: Place, val browser: Place)

/** A place, as far as it is known. */
@Suppress("ConstructorParameterNaming", "PropertyName")
public data class Place(
    val city: String?,
    /** Two letters (ISO 3166-1). */
    val country_code: String?,
)

/** The texts of the confirmation screen, in the user's language. */
public data class MobileTemplateResponse(
    val title: String,
    val message: String,
    val widget: ScreenPlace,
    val mobile: ScreenPlace,
    val userAgent: ScreenBrowser,
    /** Facts that the user should know, the most serious first. */
    val flags: List<Flag>,
    /** The sources that a screen must name where it shows the places, as their licenses require. */
    val attributions: List<Attribution> = emptyList(),
)

/** A source of places: the text to show, which is the same in every language, and the URL of its link. */
public data class Attribution(val text: String, val url: String)

/** A place on the screen, and the reason why the user should look closely at it. */
public data class ScreenPlace(val location: String, val issue: String?)

/** The browser on the screen, and the reason why the user should look closely at it. */
public data class ScreenBrowser(val name: String, val issue: String?)

/** A fact about a login: a code for programs, and a sentence for users. */
public data class Flag(val code: String, val severity: Severity, val text: String)

/** The severity of a flag. */
public enum class Severity(public val value: String) {
    /** Only information. */
    INFO("info"),

    /** The user should look closely. */
    WARN("warn"),

    /** The service refuses a confirmation. */
    DENY("deny"),
    ;

    override fun toString(): String = value
}
