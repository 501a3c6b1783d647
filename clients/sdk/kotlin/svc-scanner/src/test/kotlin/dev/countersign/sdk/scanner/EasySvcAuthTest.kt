package dev.countersign.sdk.scanner

import android.app.Activity
import android.content.Intent
import androidx.activity.result.ActivityResultLauncher
import androidx.activity.result.contract.ActivityResultContract
import androidx.activity.result.contract.ActivityResultContracts
import androidx.core.app.ActivityOptionsCompat
import dev.countersign.sdk.SvcException
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [23, 34], manifest = Config.NONE)
class EasySvcAuthTest {
    private val activity = Robolectric.buildActivity(Activity::class.java).get()

    private class Launcher : ActivityResultLauncher<Intent>() {
        var launched: Intent? = null

        override fun launch(input: Intent, options: ActivityOptionsCompat?) {
            launched = input
        }

        override fun unregister() = Unit

        override val contract: ActivityResultContract<Intent, *> = ActivityResultContracts.StartActivityForResult()
    }

    private fun assertStarts(intent: Intent?, publicUserId: String?) {
        checkNotNull(intent)
        assertEquals(AuthWithScannerActivity::class.java.name, intent.component?.className)
        assertEquals(activity.packageName, intent.component?.packageName)
        val request = AuthRequest.of(intent).getOrThrow()
        assertEquals("key", request.appKey)
        assertEquals("payload \uD83D\uDDDD", request.payload)
        assertEquals(publicUserId, request.publicUserId)
    }

    @Test
    fun `launcher form starts the scanner`() {
        val launcher = Launcher()
        easySvcAuth(
            content = activity,
            easySvcAuthLauncher = launcher,
            appKey = "key",
            payload = "payload \uD83D\uDDDD",
            publicUserId = "zoe",
        )
        assertStarts(launcher.launched, "zoe")
        easySvcAuth(activity, launcher, "key", "payload \uD83D\uDDDD")
        assertStarts(launcher.launched, null)
    }

    @Test
    fun `request code form starts the scanner`() {
        easySvcAuth(
            activity = activity,
            requestCode = 42,
            appKey = "key",
            payload = "payload \uD83D\uDDDD",
            publicUserId = "zoe",
        )
        val started = shadowOf(activity).nextStartedActivityForResult
        assertEquals(42, started.requestCode)
        assertStarts(started.intent, "zoe")
    }

    @Test
    fun `payload that is too long is not put into the intent`() {
        val launcher = Launcher()
        easySvcAuth(activity, launcher, "key", "x".repeat(2_000_000))
        val intent = checkNotNull(launcher.launched)
        assertTrue(AuthRequest.of(intent).exceptionOrNull() is SvcException.PayloadTooLong)
        assertTrue(intent.extras?.keySet().orEmpty().all { intent.getStringExtra(it).orEmpty().length < 100 })
    }

    @Test
    fun `results are read as they were written`() {
        fun read(result: Result<Boolean>) = AuthResult.write(result).let { (code, data) ->
            AuthResult.of(code, data) to
                code
        }
        assertEquals(Result.success(true) to Activity.RESULT_OK, read(Result.success(true)))
        assertEquals(Result.success(false) to Activity.RESULT_CANCELED, read(Result.success(false)))
        val (failure, code) = read(Result.failure(SvcException.CameraUnavailable("gone")))
        assertEquals(Activity.RESULT_CANCELED, code)
        assertEquals("gone", (failure.exceptionOrNull() as SvcException.CameraUnavailable).message)
    }

    @Test
    fun `activity that ended without a result was closed`() {
        assertTrue(AuthResult.of(Activity.RESULT_CANCELED, null).exceptionOrNull() is SvcException.Cancelled)
        assertTrue(AuthResult.of(Activity.RESULT_CANCELED, Intent()).exceptionOrNull() is SvcException.Cancelled)
        assertEquals(Result.success(true), AuthResult.of(Activity.RESULT_OK, null))
        assertNull(shadowOf(activity).nextStartedActivity)
    }
}
