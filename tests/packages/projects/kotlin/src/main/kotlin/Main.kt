import dev.countersign.sdk.SvcConfiguration
import dev.countersign.sdk.SvcCore
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.SvcPlatform
import kotlinx.coroutines.runBlocking
import java.io.File

/** Generates a key, opens a login that the service does not know, and prints both results. */
fun main(arguments: Array<String>) = runBlocking {
    val (service, directory) = arguments
    val svc = SvcCore(SvcConfiguration(service, listOf("login.shop.example")), SvcPlatform.files(File(directory)))
    svc.generateAssociationKey("zoe")
    val session = svc.sessionId("https://login.shop.example?sessionId=qrs_" + "0".repeat(32))
        .mapCatching { svc.initializeQrSession("cs_app_0123456789abcdefABCDEF", it).getOrThrow() }
    println(svc.listAssociationKey().joinToString())
    println((session.exceptionOrNull() as? SvcException)?.code)
    svc.close()
}
