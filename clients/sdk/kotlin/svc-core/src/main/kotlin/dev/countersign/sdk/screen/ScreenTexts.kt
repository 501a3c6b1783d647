package dev.countersign.sdk.screen

import dev.countersign.sdk.screen.texts.ARABIC
import dev.countersign.sdk.screen.texts.ENGLISH
import dev.countersign.sdk.screen.texts.FRENCH
import dev.countersign.sdk.screen.texts.GERMAN
import dev.countersign.sdk.screen.texts.ITALIAN
import dev.countersign.sdk.screen.texts.JAPANESE
import dev.countersign.sdk.screen.texts.PORTUGUESE
import dev.countersign.sdk.screen.texts.SPANISH

/**
 * The labels of the screens in one language. Sentences about a login come from the service, in the same
 * languages.
 */
public class ScreenTexts internal constructor(
    /** BCP 47 language tag, such as `en`. */
    public val language: String,
    /** Whether the language is written from right to left. */
    public val isRightToLeft: Boolean,
    /** Label of the site's address. */
    public val site: String,
    /** Label of the app's name. */
    public val app: String,
    /** Label of the text that the user approves. */
    public val context: String,
    /** Label of the phone's place. */
    public val thisPhone: String,
    /** Label of the browser's place. */
    public val browserPlace: String,
    /** Label of the browser and its system. */
    public val browser: String,
    /** Heading of flags that are only information. */
    public val info: String,
    /** Heading of a flag with a warning. */
    public val warning: String,
    /** Heading of a flag that forbids the login. */
    public val danger: String,
    /** Shown instead of the confirm button if the risk forbids the login. */
    public val refused: String,
    /** Button that confirms. */
    public val confirm: String,
    /** Button that denies. */
    public val deny: String,
    /** Why the confirm button is disabled: the text has not been scrolled to the end. */
    public val readToEnd: String,
    /** Why the confirm button is disabled: the screen has just opened. */
    public val wait: String,
    /** Shown while an answer is being sent. */
    public val sending: String,
    /** Asks the user to type the check code in the browser. */
    public val checkCode: String,
    /** Button that closes a screen. */
    public val close: String,
    /** Tells the user to point the camera at the code. */
    public val pointCamera: String,
    /** The camera cannot be used. */
    public val noCamera: String,
    /** Title of the scanner. */
    public val scanTitle: String,
    /** Shown while a login is being opened. */
    public val opening: String,
    /** Says why the scanner needs the camera, after the user refused it. */
    public val cameraNeeded: String,
    /** Says that only the system's settings can allow the camera now. */
    public val cameraInSettings: String,
    /** Button that asks for the camera permission. */
    public val allowCamera: String,
    /** Button that opens the app's settings. */
    public val openSettings: String,
    /** Button that retries. */
    public val tryAgain: String,
    /** Button that goes back to the camera. */
    public val scanAgain: String,
) {
    public companion object {
        private val own = listOf(ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, JAPANESE, ARABIC)

        @Volatile private var supplied = emptyList<ScreenTexts>()

        private val all: List<ScreenTexts> get() = supplied + own

        /** The languages of the screens. */
        @JvmStatic
        public val languages: List<String> get() = all.map(ScreenTexts::language).distinct()

        /**
         * Supplies the app's own texts, which the screens show from now on to users with their languages:
         * additional languages, or replacements for the SDK's texts. They replace the texts supplied before.
         * Create them with [ScreenTextsBuilder], in `Application.onCreate`.
         */
        @JvmStatic
        public fun supply(vararg texts: ScreenTexts) {
            supplied = texts.toList()
        }

        /** Returns the texts for a language tag such as `de` or `pt-BR`, or the English ones if there are none. */
        @JvmStatic
        public fun of(languageTag: String): ScreenTexts = find(languageTag) ?: checkNotNull(find(ENGLISH.language))

        /** Returns the texts of the first of these languages that the screens have, or English. */
        @JvmStatic
        public fun of(languageTags: List<String>): ScreenTexts =
            languageTags.firstNotNullOfOrNull(::find) ?: of(ENGLISH.language)

        private fun find(languageTag: String): ScreenTexts? = all.firstOrNull { it.language.base == languageTag.base }

        private val String.base: String get() = substringBefore('-').substringBefore('_').lowercase()
    }
}
