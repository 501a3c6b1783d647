package dev.countersign.sdk.screen

/**
 * Builds the app's own texts. Texts that are not set are taken from [base]. [ScreenTexts.supply] puts them on
 * the screens.
 *
 * @property language the tag of the language (BCP 47), such as `nl`.
 */
public class ScreenTextsBuilder @JvmOverloads constructor(
    public val language: String,
    base: ScreenTexts = ScreenTexts.of(language),
) {
    /** Whether the language is written from right to left. */
    public var isRightToLeft: Boolean = base.isRightToLeft

    /** Label of the site's address. */
    public var site: String = base.site

    /** Label of the app's name. */
    public var app: String = base.app

    /** Label of the text that the user approves. */
    public var context: String = base.context

    /** Label of the phone's place. */
    public var thisPhone: String = base.thisPhone

    /** Label of the browser's place. */
    public var browserPlace: String = base.browserPlace

    /** Label of the browser and its system. */
    public var browser: String = base.browser

    /** Heading of flags that are only information. */
    public var info: String = base.info

    /** Heading of a flag with a warning. */
    public var warning: String = base.warning

    /** Heading of a flag that forbids the login. */
    public var danger: String = base.danger

    /** Shown instead of the confirm button if the risk forbids the login. */
    public var refused: String = base.refused

    /** Button that confirms. */
    public var confirm: String = base.confirm

    /** Button that denies. */
    public var deny: String = base.deny

    /** Why the confirm button is disabled: the text has not been scrolled to the end. */
    public var readToEnd: String = base.readToEnd

    /** Why the confirm button is disabled: the screen has just opened. */
    public var wait: String = base.wait

    /** Shown while an answer is being sent. */
    public var sending: String = base.sending

    /** Asks the user to type the check code in the browser. */
    public var checkCode: String = base.checkCode

    /** Button that closes a screen. */
    public var close: String = base.close

    /** Tells the user to point the camera at the code. */
    public var pointCamera: String = base.pointCamera

    /** The camera cannot be used. */
    public var noCamera: String = base.noCamera

    /** Title of the scanner. */
    public var scanTitle: String = base.scanTitle

    /** Shown while a login is being opened. */
    public var opening: String = base.opening

    /** Says why the scanner needs the camera, after the user refused it. */
    public var cameraNeeded: String = base.cameraNeeded

    /** Says that only the system's settings can allow the camera now. */
    public var cameraInSettings: String = base.cameraInSettings

    /** Button that asks for the camera permission. */
    public var allowCamera: String = base.allowCamera

    /** Button that opens the app's settings. */
    public var openSettings: String = base.openSettings

    /** Button that retries. */
    public var tryAgain: String = base.tryAgain

    /** Button that goes back to the camera. */
    public var scanAgain: String = base.scanAgain

    /** Returns the texts. */
    public fun build(): ScreenTexts =
        ScreenTexts(
            language = language,
            isRightToLeft = isRightToLeft,
            site = site,
            app = app,
            context = context,
            thisPhone = thisPhone,
            browserPlace = browserPlace,
            browser = browser,
            info = info,
            warning = warning,
            danger = danger,
            refused = refused,
            confirm = confirm,
            deny = deny,
            readToEnd = readToEnd,
            wait = wait,
            sending = sending,
            checkCode = checkCode,
            close = close,
            pointCamera = pointCamera,
            noCamera = noCamera,
            scanTitle = scanTitle,
            opening = opening,
            cameraNeeded = cameraNeeded,
            cameraInSettings = cameraInSettings,
            allowCamera = allowCamera,
            openSettings = openSettings,
            tryAgain = tryAgain,
            scanAgain = scanAgain,
        )
}
