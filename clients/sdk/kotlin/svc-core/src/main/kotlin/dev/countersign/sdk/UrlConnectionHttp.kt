package dev.countersign.sdk

import dev.countersign.sdk.ffi.Header
import dev.countersign.sdk.ffi.Http
import dev.countersign.sdk.ffi.NetworkException
import dev.countersign.sdk.ffi.Request
import dev.countersign.sdk.ffi.Response
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.suspendCancellableCoroutine
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.InputStream
import java.net.HttpURLConnection
import java.net.URL
import java.security.cert.CertificateException
import javax.net.ssl.SSLException
import javax.net.ssl.SSLPeerUnverifiedException
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException

/**
 * HTTP with [HttpURLConnection], which both Android and the JVM have. Follows no redirects, and stores no
 * cookies and no cache. Cancelling a call disconnects it.
 *
 * Bodies are not streamed: they are small, and for a streamed request the JVM drops the body of a 401.
 */
public class UrlConnectionHttp @JvmOverloads constructor(
    private val connectTimeoutMillis: Int = 10_000,
    private val readTimeoutMillis: Int = 15_000,
) : Http {
    override suspend fun send(request: Request): Response =
        suspendCancellableCoroutine { continuation ->
            val connection = try {
                open(request)
            } catch (error: IOException) {
                continuation.resumeWithException(NetworkException.Permanent("$error"))
                return@suspendCancellableCoroutine
            }
            // The thread waits for the network, not the coroutine: the coroutine ends as soon as it is
            // cancelled.
            continuation.invokeOnCancellation { onWorker { connection.disconnect() } }
            onWorker {
                val outcome = runCatching { exchange(connection, request.body) }
                outcome.fold(continuation::resume) { continuation.resumeWithException(failure(it)) }
            }
        }

    private fun onWorker(work: Runnable) = Dispatchers.IO.dispatch(EmptyCoroutineContext, work)

    private fun open(request: Request): HttpURLConnection {
        val connection = URL(request.url).openConnection() as HttpURLConnection
        connection.requestMethod = "POST"
        connection.doOutput = true
        connection.useCaches = false
        connection.instanceFollowRedirects = false
        connection.connectTimeout = connectTimeoutMillis
        connection.readTimeout = readTimeoutMillis
        request.headers.forEach { connection.setRequestProperty(it.name, it.value) }
        return connection
    }

    private fun exchange(connection: HttpURLConnection, body: ByteArray): Response =
        try {
            connection.outputStream.use { it.write(body) }
            val status = connection.responseCode
            val stream = if (status < FIRST_ERROR) connection.inputStream else connection.errorStream
            val answer = stream?.use(::read) ?: ByteArray(0)
            val headers = connection.headerFields.flatMap { (name, values) ->
                // The status line has no name.
                if (name == null) emptyList() else values.map { Header(name, it) }
            }
            Response(status.toUShort(), headers, answer)
        } finally {
            connection.disconnect()
        }

    private fun read(stream: InputStream): ByteArray {
        val answer = ByteArrayOutputStream()
        val buffer = ByteArray(BUFFER_BYTES)
        while (true) {
            val count = stream.read(buffer)
            if (count < 0) return answer.toByteArray()
            answer.write(buffer, 0, count)
            if (answer.size() > MAX_ANSWER_BYTES) throw NetworkException.AnswerTooLong()
        }
    }

    private fun failure(error: Throwable): Throwable =
        when (error) {
            is SSLPeerUnverifiedException -> NetworkException.Permanent("$error")
            is SSLException -> {
                // A refused certificate would be refused again; a broken connection may not break again.
                val refused = generateSequence(error.cause) { it.cause }.any { it is CertificateException }
                if (refused) NetworkException.Permanent("$error") else NetworkException.Temporary("$error")
            }
            is IOException -> NetworkException.Temporary("$error")
            is SecurityException -> NetworkException.Permanent("$error")
            else -> error
        }

    private companion object {
        const val FIRST_ERROR = 400
        const val BUFFER_BYTES = 8 shl 10
        const val MAX_ANSWER_BYTES = 64 shl 10
    }
}
