package dev.countersign.sample

import dev.countersign.sdk.SvcException
import dev.countersign.sdk.android.Svc
import org.json.JSONObject

/**
 * Returns the payload that the page gets from a confirmed login: the user's id, signed with the key that the
 * app's server knows. Call it off the main thread: the Keystore may be slow.
 */
fun payload(publicUserId: String): String {
    if (publicUserId !in Svc.listAssociationKey()) {
        // A real app would register the new public key with its server.
        Svc.generateAssociationKey(publicUserId)
    }
    val timestamp = System.currentTimeMillis()
    val signedData = "$publicUserId at $timestamp"
    return JSONObject()
        .put("publicUserId", publicUserId)
        .put("timestamp", timestamp)
        .put("customSignedData", signedData)
        .put("signature", Svc.generateUserSignature(publicUserId, signedData))
        .toString()
}

/** Describes the outcome of a login. */
fun describe(result: Result<Boolean>): String = result.fold(
    onSuccess = { confirmed -> if (confirmed) "Confirmed" else "Denied" },
    onFailure = { error -> (error as? SvcException)?.messageFor() ?: error.toString() },
)
