package dev.countersign.sdk.scanner

import dev.countersign.sdk.SvcException

/**
 * Maximum size of a payload that the service accepts, in bytes (UTF-8); encrypted payloads have less room.
 */
internal const val MAX_PAYLOAD_BYTES = 8 * 1024

/** No app key or user id of the service is longer. */
private const val MAX_NAME = 1024

/** Returns why a request is too long for the service or for an intent. Null if it is not. */
internal fun tooLong(request: AuthRequest): SvcException? =
    when {
        // The first condition avoids encoding very long texts.
        request.payload.length > MAX_PAYLOAD_BYTES -> SvcException.PayloadTooLong()
        request.payload.toByteArray().size > MAX_PAYLOAD_BYTES -> SvcException.PayloadTooLong()
        request.appKey.length > MAX_NAME -> SvcException.InvalidAppKey()
        (request.publicUserId?.length ?: 0) > MAX_NAME -> SvcException.InvalidPublicUserId()
        else -> null
    }
