package dev.countersign.sdk.messages

import java.util.Locale

/** Sentences for users, by language and by the code of the failure. */
internal object Messages {
    val languages: Map<String, Map<String, String>> = mapOf(
        "en" to English,
        "de" to German,
        "fr" to French,
        "es" to Spanish,
        "pt" to Portuguese,
        "it" to Italian,
        "ja" to Japanese,
        "ar" to Arabic,
    )

    /** Returns the sentence for a code: in English if the language is not one of ours. */
    fun of(locale: Locale, code: String): String =
        (languages[locale.language] ?: English)[code] ?: English.getValue("internal")
}
