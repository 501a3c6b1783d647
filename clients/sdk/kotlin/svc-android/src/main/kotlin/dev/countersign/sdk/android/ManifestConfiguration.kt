package dev.countersign.sdk.android

import android.content.Context
import android.content.pm.PackageManager
import android.os.Bundle
import dev.countersign.sdk.SvcConfiguration
import dev.countersign.sdk.SvcException

private const val PREFIX = "dev.countersign.sdk."

/**
 * Reads the configuration from `<meta-data>` elements in the manifest's `<application>`: `SERVICE_URL`, and
 * `LINK_HOSTS` separated by commas, both after `dev.countersign.sdk.`; also `SHOWS_CONTEXTS`,
 * `ACCEPTS_PLAIN_LOGINS` and `RETURNS_TO_PAGES`, which are false by default, and `DENIAL_PAYLOAD`. Throws
 * [SvcException.InvalidConfiguration].
 */
internal fun manifestConfiguration(context: Context): SvcConfiguration {
    val application = context.packageManager.getApplicationInfo(context.packageName, PackageManager.GET_META_DATA)
    val data = application.metaData ?: Bundle.EMPTY
    return SvcConfiguration(
        serviceUrl = data.required("SERVICE_URL"),
        linkHosts = data.required("LINK_HOSTS").split(',').map(String::trim).filter(String::isNotEmpty),
        showsContexts = data.getBoolean("${PREFIX}SHOWS_CONTEXTS"),
        acceptsPlainLogins = data.getBoolean("${PREFIX}ACCEPTS_PLAIN_LOGINS"),
        returnsToPages = data.getBoolean("${PREFIX}RETURNS_TO_PAGES"),
        denialPayload = data.getString("${PREFIX}DENIAL_PAYLOAD").orEmpty(),
    )
}

private fun Bundle.required(name: String): String =
    getString("$PREFIX$name")
        ?: throw SvcException.InvalidConfiguration(
            "the manifest's application has no <meta-data> called $PREFIX$name: add it, or give Svc.configure a configuration",
        )
