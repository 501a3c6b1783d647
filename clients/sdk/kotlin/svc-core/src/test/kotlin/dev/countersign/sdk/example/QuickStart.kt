package dev.countersign.sdk.example

import dev.countersign.sdk.SvcConfiguration
import dev.countersign.sdk.SvcCore
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.SvcPlatform
import kotlinx.coroutines.runBlocking
import java.io.File

/** The quick start of the README; a test compares and runs it. */
fun main(arguments: Array<String>) = runBlocking {
    val (service, linkHost, appKey, link, directory) = arguments
    val svc = SvcCore(SvcConfiguration(service, listOf(linkHost)), SvcPlatform.files(File(directory)))
    val sessionId = svc.sessionId(link).getOrThrow()
    val session = svc.initializeQrSession(appKey, sessionId).getOrThrow()
    println("${session.mobileTemplateResponse.title} ${session.appName}, ${session.origin}")
    val result = if (readln() == "y") session.confirm("a token") else session.deny("")
    result.onFailure { println((it as SvcException).messageFor()) }
    println("done: ${result.isSuccess}")
}
