package dev.countersign.sdk.support

import dev.countersign.sdk.Retries
import dev.countersign.sdk.SvcConfiguration
import dev.countersign.sdk.SvcCore
import dev.countersign.sdk.SvcPlatform
import dev.countersign.sdk.UrlConnectionHttp
import dev.countersign.sdk.ffi.Http
import java.io.File
import java.nio.file.Files
import java.util.UUID

/** The directory of a new phone. */
fun newPhone(): File {
    val directory = Files.createTempDirectory("countersign-phone").toFile()
    Runtime.getRuntime().addShutdownHook(Thread { directory.deleteRecursively() })
    return File(directory, "${UUID.randomUUID()}")
}

/** Returns the SDK of the demo app on a phone; each call is like a new process. */
fun svc(
    server: Server,
    phone: File = newPhone(),
    http: Http = UrlConnectionHttp(),
    url: String = server.url,
    showsContexts: Boolean = false,
    acceptsPlainLogins: Boolean = false,
    languages: List<String> = listOf("en"),
    returnsToPages: Boolean = false,
    denialPayload: String = "",
): SvcCore {
    val configuration = SvcConfiguration(
        serviceUrl = url,
        linkHosts = listOf("login.example", "localhost:${server.url.substringAfterLast(':')}"),
        languages = languages,
        showsContexts = showsContexts,
        acceptsPlainLogins = acceptsPlainLogins,
        // No retries, so that a test sees the first failure.
        retries = Retries(emptyList()),
        returnsToPages = returnsToPages,
        denialPayload = denialPayload,
    )
    return SvcCore(configuration, SvcPlatform.files(phone, http))
}
