package dev.countersign.sample

import dev.countersign.sdk.SvcException
import dev.countersign.sdk.android.Svc
import org.json.JSONObject

/**
 * Returns what the page gets from a confirmed login: who the user is, signed with the key that the app's server
 * knows. Call it off the main thread: the Keystore may take its time.
 */
fun payload(publicUserId: String): String {
    if (publicUserId !in Svc.listAssociationKey()) {
        // A real app registers the new public key with its server.
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

/** Says what became of a login. */
fun describe(result: Result<Boolean>): String = result.fold(
    onSuccess = { confirmed -> if (confirmed) "Confirmed" else "Denied" },
    onFailure = { error -> (error as? SvcException)?.messageFor() ?: error.toString() },
)
