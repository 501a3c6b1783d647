package dev.countersign.sdk.scanner

import android.app.Activity
import android.content.Intent
import dev.countersign.sdk.SvcException

/** Reads the result of [AuthWithScannerActivity]. */
public object AuthResult {
    private const val DENIED = "dev.countersign.sdk.scanner.denied"

    /**
     * Returns true if the login was confirmed (the only result with the code `RESULT_OK`), and false if the user
     * denied it. Anything else is a failure with a [SvcException]: [SvcException.Cancelled] if the user closed a
     * screen, otherwise the last failure that the user saw.
     */
    @JvmStatic
    public fun of(resultCode: Int, data: Intent?): Result<Boolean> =
        when {
            resultCode == Activity.RESULT_OK -> Result.success(true)
            data?.getBooleanExtra(DENIED, false) == true -> Result.success(false)
            else -> Result.failure(data?.failure() ?: SvcException.Cancelled())
        }

    /** Returns the result code and its intent. */
    internal fun write(result: Result<Boolean>): Pair<Int, Intent> =
        result.fold(
            onSuccess = { confirmed ->
                val code = if (confirmed) Activity.RESULT_OK else Activity.RESULT_CANCELED
                code to Intent().putExtra(DENIED, !confirmed)
            },
            onFailure = { Activity.RESULT_CANCELED to Intent().putFailure(it) },
        )
}

private const val FAILURE = "dev.countersign.sdk.scanner.failure."

internal fun Intent.putFailure(error: Throwable): Intent =
    apply { Failures.write(error).forEach { (name, text) -> putExtra(FAILURE + name, text) } }

internal fun Intent.failure(): SvcException? =
    Failures.read(
        buildMap { for (name in Failures.names) getStringExtra(FAILURE + name)?.let { put(name, it) } },
    )
