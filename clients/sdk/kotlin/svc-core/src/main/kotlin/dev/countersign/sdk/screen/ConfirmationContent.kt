package dev.countersign.sdk.screen

import dev.countersign.sdk.RiskStatus
import dev.countersign.sdk.Session
import dev.countersign.sdk.Severity

/** Everything that a user must see before deciding, in the order of the screen. */
public class ConfirmationContent(session: Session, private val texts: ScreenTexts) {
    /** The question that the screen asks. */
    public val title: String = session.mobileTemplateResponse.title

    /** Explanation of the question. */
    public val message: String = session.mobileTemplateResponse.message

    /** Lines of the text that the user approves. It is empty if there is none. */
    public val context: List<String> = session.context?.split('\n').orEmpty()

    /** Site, app, places and browser. */
    public val rows: List<Row> =
        with(session.mobileTemplateResponse) {
            listOf(
                Row(texts.site, session.origin, null, isAddress = true),
                Row(texts.app, session.appName, null),
                Row(texts.thisPhone, mobile.location, mobile.issue),
                Row(texts.browserPlace, widget.location, widget.issue),
                Row(texts.browser, userAgent.name, userAgent.issue),
            )
        }

    /** The sources of both places that must be named next to them, each with its URL. */
    public val attributions: List<String> =
        session.mobileTemplateResponse.attributions.map { "${it.text} (${siteOf(it.url)})" }

    /** The risk's flags, the most serious first. A risk without flags is shown as a flag. */
    public val flags: List<Notice> =
        session.mobileTemplateResponse.flags
            .map { Notice(it.severity, heading(it.severity), it.text) }
            .ifEmpty { listOfNotNull(riskWithoutFlags(session)) }
            .sortedByDescending(Notice::severity)

    /** Whether the user may confirm: a risk of `deny` only allows a denial. */
    public val canConfirm: Boolean =
        session.riskAnalytics?.riskStatus != RiskStatus.DENY && flags.none { it.severity == Severity.DENY }

    private fun riskWithoutFlags(session: Session): Notice? {
        val risk = session.riskAnalytics ?: return null
        val severity =
            when (risk.riskStatus) {
                RiskStatus.CLEAR -> return null
                RiskStatus.WARN -> Severity.WARN
                RiskStatus.DENY -> Severity.DENY
            }
        return risk.riskFlagString?.let { Notice(severity, heading(severity), it) }
    }

    private fun siteOf(url: String): String = url.substringAfter("://").substringBefore('/')

    private fun heading(severity: Severity): String =
        when (severity) {
            Severity.INFO -> texts.info
            Severity.WARN -> texts.warning
            Severity.DENY -> texts.danger
        }

    /** A fact with its label. */
    public class Row(
        /** Name of the fact. */
        public val label: String,
        /** The fact. */
        public val value: String,
        /** The problem with the fact, if any. */
        public val issue: String?,
        /** Whether the value is an address, which is written from left to right in every language. */
        public val isAddress: Boolean = false,
    ) {
        /**
         * The value as it is displayed. An address contains invisible characters that allow line breaks before
         * its dots and its port, but nowhere inside a name. A name that is longer than a line needs smaller
         * letters.
         */
        public val display: String =
            if (isAddress) value.replace(ADDRESS_PARTS, "$MAY_BREAK").replace("-", "$NO_BREAK-$NO_BREAK") else value

        /** The parts of [display] that stay on one line each. */
        public val displayParts: List<String> get() = display.split(MAY_BREAK)

        private companion object {
            val ADDRESS_PARTS = Regex("(?<=/)(?=[^/])|(?=\\.)|(?=:\\d)")
            const val MAY_BREAK = '\u200B'
            const val NO_BREAK = '\u2060'
        }
    }

    /** A flag as users see it. */
    public class Notice(
        /** Its severity. */
        public val severity: Severity,
        /** The severity as a word. */
        public val heading: String,
        /** The flag's sentence. */
        public val text: String,
    )
}
