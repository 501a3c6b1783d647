package dev.countersign.sdk.scanner

import android.Manifest.permission.CAMERA
import android.app.Activity
import android.content.ComponentName
import android.content.Intent
import android.content.pm.ActivityInfo
import android.content.pm.ApplicationInfo
import android.content.pm.PackageManager.PERMISSION_DENIED
import android.content.pm.PackageManager.PERMISSION_GRANTED
import android.os.Bundle
import android.os.Looper
import android.provider.Settings
import android.view.View
import android.view.ViewGroup
import android.widget.Button
import dev.countersign.sdk.Retries
import dev.countersign.sdk.SvcConfiguration
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.android.BaseConfirmationDialog
import dev.countersign.sdk.android.Svc
import dev.countersign.sdk.screen.ScreenTexts
import dev.countersign.sdk.support.Browser
import dev.countersign.sdk.support.HeldPort
import dev.countersign.sdk.support.Server
import kotlinx.coroutines.runBlocking
import org.junit.After
import org.junit.AfterClass
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotNull
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.BeforeClass
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ActivityController
import org.robolectric.annotation.Config
import org.robolectric.util.ReflectionHelpers
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.locks.LockSupport

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [23, 34], manifest = Config.NONE)
class AuthWithScannerActivityTest {
    private val application = RuntimeEnvironment.getApplication()
    private val texts = ScreenTexts.of("en")
    private val camera = FakeCamera.install()
    private lateinit var controller: ActivityController<AuthWithScannerActivity>
    private val activity get() = controller.get()

    @Before
    fun register() {
        EmptyKeystore.install()
        configure(server.url)
        val info = ActivityInfo()
        info.packageName = application.packageName
        info.name = AuthWithScannerActivity::class.java.name
        info.theme = android.R.style.Theme_Material_NoActionBar
        shadowOf(application.packageManager).addOrUpdateActivity(info)
    }

    @After
    fun end() {
        if (::controller.isInitialized) controller.close()
    }

    private fun configure(url: String) {
        val hosts = listOf("login.example")
        val retries = Retries(emptyList())
        Svc.configure(
            application,
            SvcConfiguration(url, hosts, listOf("en"), retries = retries, returnsToPages = true),
        )
    }

    private fun intent(payload: String = "a payload", user: String? = null, appKey: String = server.appKey): Intent {
        val launcher = Robolectric.buildActivity(Activity::class.java).get()
        easySvcAuth(launcher, 1, appKey, payload, user)
        return shadowOf(launcher).nextStartedActivity
    }

    private fun start(intent: Intent = intent(), state: Bundle? = null) {
        controller = Robolectric.buildActivity(AuthWithScannerActivity::class.java, intent)
        if (state == null) controller.setup() else controller.setup(state)
        idle()
    }

    private fun startWithCamera(intent: Intent = intent()) {
        shadowOf(application).grantPermissions(CAMERA)
        start(intent)
    }

    private fun idle() = shadowOf(Looper.getMainLooper()).idle()

    /** Runs the main thread until a condition holds, because the service answers on other threads. */
    private fun await(what: String, condition: () -> Boolean) {
        val end = System.nanoTime() + SECONDS.toNanos(60)
        while (!condition()) {
            check(System.nanoTime() < end) { "waited in vain: $what; the screen shows ${shown()}" }
            LockSupport.parkNanos(1_000_000)
            idle()
        }
    }

    private fun views(root: View = activity.window.decorView): List<View> =
        listOf(root) +
            (
                (root as? ViewGroup)?.let { group ->
                    (0 until group.childCount).flatMap { views(group.getChildAt(it)) }
                }.orEmpty()
                )

    private val screen get() = views().filterIsInstance<ScannerScreen>().single()

    private fun shown() = if (activity.isFinishing) "nothing" else "${screen.text.text}"

    private fun show(browser: Browser) = see("https://login.example?sessionId=${browser.sessionId}")

    private fun see(text: String) {
        camera.show(text)
        idle()
    }

    private val dialogs get() = activity.supportFragmentManager.fragments.filterIsInstance<BaseConfirmationDialog>()

    private fun awaitDialog() = await("the confirmation screen") { dialogs.singleOrNull()?.dialog?.isShowing == true }

    private fun decide(label: String) {
        val buttons = views(checkNotNull(dialogs.single().dialog?.window).decorView).filterIsInstance<Button>()
        buttons.single { it.text.toString() == label }.performClick()
    }

    private fun awaitEnd(): Pair<Int, Result<Boolean>> {
        await("the end of the activity") { activity.isFinishing }
        val code = shadowOf(activity).resultCode
        return code to AuthResult.of(code, shadowOf(activity).resultIntent)
    }

    private fun answer(granted: Int) {
        val request = checkNotNull(shadowOf(activity).lastRequestedPermission)
        assertEquals(listOf(CAMERA), request.requestedPermissions.toList())
        // The system's dialog would have ended the request.
        ReflectionHelpers.setField(Activity::class.java, activity, "mHasCurrentPermissionsRequest", false)
        if (granted == PERMISSION_GRANTED) shadowOf(application).grantPermissions(CAMERA)
        @Suppress("DEPRECATION")
        activity.onRequestPermissionsResult(request.requestCode, request.requestedPermissions, intArrayOf(granted))
        idle()
    }

    private fun press(button: Button) {
        assertEquals(View.VISIBLE, button.visibility)
        button.performClick()
        idle()
    }

    @Test
    fun `camera starts when the person allows it`() {
        start()
        assertFalse(camera.isOpen)
        answer(PERMISSION_GRANTED)
        assertTrue(camera.isOpen)
        assertEquals(texts.pointCamera, shown())
    }

    @Test
    fun `refusal is explained, and the person can allow the camera after all`() {
        shadowOf(application.packageManager).setShouldShowRequestPermissionRationale(CAMERA, true)
        start()
        answer(PERMISSION_DENIED)
        assertEquals(texts.cameraNeeded, shown())
        assertEquals(texts.allowCamera, screen.action.text)
        press(screen.action)
        answer(PERMISSION_GRANTED)
        assertTrue(camera.isOpen)
    }

    @Test
    fun `refusal for good leads to the settings`() {
        start()
        answer(PERMISSION_DENIED)
        assertEquals(texts.cameraInSettings, shown())
        press(screen.action)
        val settings = shadowOf(activity).nextStartedActivity
        assertEquals(Settings.ACTION_APPLICATION_DETAILS_SETTINGS, settings.action)
        assertEquals("package:${application.packageName}", settings.dataString)
        controller.pause().stop()
        shadowOf(application).grantPermissions(CAMERA)
        controller.start().resume()
        idle()
        assertTrue(camera.isOpen)
    }

    @Test
    fun `camera is asked for once by itself`() {
        start()
        answer(PERMISSION_DENIED)
        controller.recreate()
        idle()
        assertNull(shadowOf(activity).lastRequestedPermission)
        assertEquals(texts.cameraInSettings, shown())
    }

    @Test
    fun `closing without the camera is a failure of the camera`() {
        start()
        answer(PERMISSION_DENIED)
        press(screen.close)
        val (code, result) = awaitEnd()
        assertEquals(Activity.RESULT_CANCELED, code)
        assertTrue(result.exceptionOrNull() is SvcException.CameraUnavailable)
    }

    @Test
    fun `foreign code is named, and scanning goes on`() {
        startWithCamera()
        for (text in listOf("hello", "https://evil.example?sessionId=qrs_1", "https://login.example?a=b")) {
            see(text)
            assertEquals("This code is not a login of this app.", shown())
            assertTrue(camera.isOpen)
        }
        val browser = Browser.open(server)
        show(browser)
        assertFalse(camera.isOpen)
        awaitDialog()
    }

    @Test
    fun `confirmed login hands over the payload and ends with RESULT_OK`() {
        startWithCamera(intent(payload = "ein Gruß"))
        val browser = Browser.open(server)
        show(browser)
        awaitDialog()
        decide(texts.confirm)
        assertEquals(Activity.RESULT_OK to Result.success(true), awaitEnd())
        assertEquals("ein Gruß", browser.redeem().payload)
    }

    @Test
    fun `denied login ends with false, and not with RESULT_OK`() {
        startWithCamera()
        val browser = Browser.open(server)
        show(browser)
        awaitDialog()
        decide(texts.deny)
        assertEquals(Activity.RESULT_CANCELED to Result.success(false), awaitEnd())
        assertEquals("denied", browser.state())
    }

    @Test
    fun `closed confirmation screen cancels`() {
        startWithCamera()
        val browser = Browser.open(server)
        show(browser)
        awaitDialog()
        dialogs.single().dialog?.cancel()
        val (code, result) = awaitEnd()
        assertEquals(Activity.RESULT_CANCELED, code)
        assertTrue(result.exceptionOrNull() is SvcException.Cancelled)
        assertEquals("scanned", browser.state())
    }

    @Test
    fun `going back cancels`() {
        startWithCamera()
        activity.onBackPressedDispatcher.onBackPressed()
        assertTrue(awaitEnd().second.exceptionOrNull() is SvcException.Cancelled)
        assertFalse(camera.isOpen)
    }

    @Test
    fun `user id and app key reach the service`() {
        startWithCamera(intent(user = "a\u0000"))
        show(Browser.open(server))
        await("the failure") { screen.text.text == SvcException.InvalidPublicUserId().messageFor() }
        // Neither trying again nor another code would help.
        assertEquals(View.GONE, screen.action.visibility)
        press(screen.close)
        assertTrue(awaitEnd().second.exceptionOrNull() is SvcException.InvalidPublicUserId)
        controller.close()
        startWithCamera(intent(appKey = "no key"))
        show(Browser.open(server))
        await("the failure") { screen.text.text == SvcException.InvalidAppKey().messageFor() }
    }

    @Test
    fun `login that is over is named, and another code can be scanned`() {
        startWithCamera()
        val browser = Browser.open(server)
        browser.cancel()
        show(browser)
        await("the failure") { screen.action.visibility == View.VISIBLE }
        assertEquals(texts.scanAgain, screen.action.text)
        press(screen.action)
        // The old code is still in view.
        show(browser)
        assertTrue(camera.isOpen)
        show(Browser.open(server))
        awaitDialog()
    }

    @Test
    fun `closing after a failure ends with that failure`() {
        startWithCamera()
        val browser = Browser.open(server)
        browser.cancel()
        show(browser)
        await("the failure") { screen.action.visibility == View.VISIBLE }
        press(screen.close)
        val (code, result) = awaitEnd()
        assertEquals(Activity.RESULT_CANCELED, code)
        val failure = result.exceptionOrNull() as SvcException
        assertTrue("$failure", failure.endsLogin)
        assertNotNull(failure.problem)
    }

    @Test
    fun `trying again after a network failure opens the same login without a scan`() {
        HeldPort().use { closed ->
            configure("http://${closed.address}")
            startWithCamera()
            show(Browser.open(server))
            await("the failure") { screen.action.visibility == View.VISIBLE }
        }
        assertEquals(texts.tryAgain, screen.action.text)
        configure(server.url)
        press(screen.action)
        awaitDialog()
        assertEquals(1, camera.openings)
    }

    @Test
    fun `camera that fails can be tried again`() {
        startWithCamera()
        camera.fail("taken")
        idle()
        assertEquals(SvcException.CameraUnavailable("").messageFor(), shown())
        press(screen.action)
        assertTrue(camera.isOpen)
        camera.fail("taken again")
        idle()
        press(screen.close)
        assertEquals("taken again", awaitEnd().second.exceptionOrNull()?.message)
    }

    @Test
    fun `only the first of two codes is opened`() {
        startWithCamera()
        val first = Browser.open(server)
        val second = Browser.open(server)
        camera.show("https://login.example?sessionId=${first.sessionId}")
        camera.show("https://login.example?sessionId=${second.sessionId}")
        idle()
        awaitDialog()
        assertEquals("scanned", first.state())
        assertEquals("created", second.state())
    }

    @Test
    fun `activity that is recreated while a login opens goes on with it`() {
        startWithCamera()
        val browser = Browser.open(server)
        show(browser)
        controller.recreate()
        awaitDialog()
        assertEquals(1, camera.openings)
        decide(texts.confirm)
        assertEquals(Activity.RESULT_OK to Result.success(true), awaitEnd())
        assertEquals("a payload", browser.redeem().payload)
    }

    @Test
    fun `activity that is recreated under a confirmation screen shows it once`() {
        startWithCamera()
        val browser = Browser.open(server)
        show(browser)
        awaitDialog()
        controller.recreate()
        idle()
        assertEquals(1, dialogs.size)
        assertEquals(1, camera.openings)
        decide(texts.confirm)
        assertEquals(Activity.RESULT_OK to Result.success(true), awaitEnd())
    }

    @Test
    fun `login is shown when the person comes back`() {
        startWithCamera()
        show(Browser.open(server))
        controller.pause().stop()
        val model = androidx.lifecycle.ViewModelProvider(activity)[LoginModel::class.java]
        await("the login") { model.state is LoginState.Asking }
        assertEquals(0, dialogs.size)
        controller.start().resume()
        awaitDialog()
    }

    @Test
    fun `login goes on after the end of the process`() {
        startWithCamera()
        val browser = Browser.open(server)
        show(browser)
        awaitDialog()
        val state = Bundle()
        controller.pause().stop().saveInstanceState(state)
        val intent = activity.intent
        controller.destroy()
        start(intent, state)
        awaitDialog()
        assertEquals(1, camera.openings)
        decide(texts.confirm)
        assertEquals(Activity.RESULT_OK to Result.success(true), awaitEnd())
    }

    @Test
    fun `login that this phone has confirmed before is not asked for again`() {
        startWithCamera()
        val browser = Browser.open(server)
        show(browser)
        awaitDialog()
        decide(texts.confirm)
        awaitEnd()
        controller.close()
        startWithCamera()
        show(browser)
        val (code, result) = awaitEnd()
        assertTrue("$code $result", result.isSuccess || (result.exceptionOrNull() as SvcException).endsLogin)
    }

    /** Opens a login with a return page that this phone has already confirmed. */
    private fun confirmedBefore(): Browser {
        val browser = Browser.open(server, returnUrl = server.page)
        runBlocking {
            val session = Svc.instance.initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
            session.confirm("a payload").getOrThrow()
        }
        return browser
    }

    @Test
    fun `page of a login that this phone has confirmed before is opened when the person is back`() {
        startWithCamera()
        val browser = confirmedBefore()
        // Stopped first, because the service may answer immediately.
        controller.pause().stop()
        val model = androidx.lifecycle.ViewModelProvider(activity)[LoginModel::class.java]
        model.open(AuthRequest.of(activity.intent).getOrThrow(), browser.sessionId)
        await("the login") { model.state is LoginState.Answered }
        assertNull(shadowOf(application).nextStartedActivity)
        controller.start().resume()
        assertEquals(Activity.RESULT_OK to Result.success(true), awaitEnd())
        val page = checkNotNull(shadowOf(application).nextStartedActivity.dataString)
        assertEquals("a payload", browser.redeem(page.substringAfterLast('.')).payload)
        assertNull(shadowOf(application).nextStartedActivity)
    }

    @Test
    fun `page that no browser opens is named`() {
        startWithCamera()
        shadowOf(application).checkActivities(true)
        show(confirmedBefore())
        await("the failure") { screen.action.visibility == View.VISIBLE }
        assertEquals(SvcException.BrowserUnavailable().messageFor(), shown())
        assertEquals(texts.scanAgain, screen.action.text)
        press(screen.close)
        assertTrue(awaitEnd().second.exceptionOrNull() is SvcException.BrowserUnavailable)
    }

    @Test
    fun `camera is closed while the activity is stopped`() {
        startWithCamera()
        controller.pause().stop()
        assertFalse(camera.isOpen)
        controller.start().resume()
        idle()
        assertTrue(camera.isOpen)
    }

    @Test
    fun `payload that is too long ends the activity immediately`() {
        startWithCamera(intent(payload = "x".repeat(100_000)))
        assertTrue(awaitEnd().second.exceptionOrNull() is SvcException.PayloadTooLong)
        assertEquals(0, camera.openings)
    }

    @Test
    fun `activity that was started without easySvcAuth ends`() {
        startWithCamera(Intent().setComponent(ComponentName(application, AuthWithScannerActivity::class.java)))
        assertTrue(awaitEnd().second.exceptionOrNull() is SvcException.Internal)
    }

    @Test
    fun `screen is read out and stays on`() {
        startWithCamera()
        assertEquals(texts.scanTitle, activity.title)
        assertTrue(screen.keepScreenOn)
        assertEquals(View.ACCESSIBILITY_LIVE_REGION_POLITE, screen.text.accessibilityLiveRegion)
        assertEquals(texts.close, screen.close.text)
        assertEquals(texts.opening, screen.progress.contentDescription)
    }

    @Test
    @Config(qualifiers = "ar")
    fun `screen speaks the language of the phone`() {
        application.applicationInfo.flags = application.applicationInfo.flags or ApplicationInfo.FLAG_SUPPORTS_RTL
        startWithCamera()
        assertEquals(ScreenTexts.of("ar").pointCamera, shown())
        assertEquals(View.LAYOUT_DIRECTION_RTL, screen.layoutDirection)
    }

    companion object {
        private lateinit var server: Server

        @JvmStatic
        @BeforeClass
        fun serve() {
            server = Server()
        }

        @JvmStatic
        @AfterClass
        fun stop() = server.close()
    }
}
