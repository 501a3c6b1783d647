package dev.countersign.sdk

import java.util.Locale
import dev.countersign.sdk.ffi.Configuration as NativeConfiguration

/**
 * The settings of an app, set once. None of them ever comes from a link.
 *
 * @property serviceUrl the address of the service, `https://HOST`; `http://` is only for this machine.
 * @property linkHosts the hosts of links that the app opens, with a port unless it is 443. Without any,
 *   every link is refused.
 * @property languages the languages of texts for people, as tags (RFC 5646), the preferred one first.
 * @property showsContexts whether the app's screen shows the whole context of a login. A login with a
 *   context otherwise fails with [SvcException.ContextUnsupported].
 * @property acceptsPlainLogins whether logins of browsers without a key (`qrp_`) are taken, whose
 *   payloads the service can read.
 * @property retries how requests are repeated.
 * @property returnsToPages whether the app opens [Session.returnUrl] in the phone's browser after a
 *   confirmation, as the screens of svc-android and svc-compose do. An app that sets it without doing so
 *   leaves logins that cannot be completed.
 * @property denialPayload what the default screens send with a denial, for the app's server: at most 8,192 bytes.
 *   The service can read it, so it must not be a secret, such as a token that logs in.
 */
public class SvcConfiguration @JvmOverloads constructor(
    public val serviceUrl: String,
    public val linkHosts: List<String>,
    public val languages: List<String> = listOf(Locale.getDefault().toLanguageTag()),
    public val showsContexts: Boolean = false,
    public val acceptsPlainLogins: Boolean = false,
    public val retries: Retries = Retries.Standard,
    public val returnsToPages: Boolean = false,
    public val denialPayload: String = "",
) {
    internal fun toNative(): NativeConfiguration =
        NativeConfiguration(
            serviceUrl = wellFormed(serviceUrl),
            linkHosts = linkHosts.map(::wellFormed),
            languages = languages.map(::wellFormed),
            showsContexts = showsContexts,
            returnsToPages = returnsToPages,
            denialPayload = wellFormed(denialPayload),
            acceptsPlainLogins = acceptsPlainLogins,
            retryDelaysMillis = retries.delaysMillis?.map(Long::toULong),
            attemptTimeoutMillis = retries.timeoutMillis?.toULong(),
        )
}

/** Retries of requests that got no answer, or an answer that asks to try again. */
@Suppress("UnusedPrivateProperty") // `unit` tells the constructors apart.
public class Retries private constructor(delaysMillis: List<Long>?, timeoutMillis: Long?, unit: Unit) {
    internal val delaysMillis: List<Long>? = delaysMillis
    internal val timeoutMillis: Long? = timeoutMillis

    init {
        val times = delaysMillis.orEmpty() + listOfNotNull(timeoutMillis)
        require(times.all { it >= 0 }) { "a time is negative" }
    }

    /**
     * There is one retry after each of these delays. Each attempt takes at most [timeoutMillis], if given.
     *
     * @throws IllegalArgumentException if a time is negative.
     */
    @JvmOverloads
    public constructor(delaysMillis: List<Long>, timeoutMillis: Long? = null) :
        this(delaysMillis.toList(), timeoutMillis, Unit)

    public companion object {
        /** Ten seconds for an answer, and five retries within eight seconds. */
        @JvmField
        public val Standard: Retries = Retries(null, null, Unit)
    }
}
