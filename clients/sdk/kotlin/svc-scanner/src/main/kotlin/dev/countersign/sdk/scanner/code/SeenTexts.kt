package dev.countersign.sdk.scanner.code

/** Texts that have been reported. A text is not reported again. Thread-safe. */
internal class SeenTexts {
    private val seen = LinkedHashSet<String>()

    /** Whether the text has not been reported before. */
    @Synchronized
    fun isNew(text: String): Boolean = text !in seen

    /** Reports a text. Returns false if it was reported before. */
    @Synchronized
    fun add(text: String): Boolean {
        if (!seen.add(text)) return false
        // A code that changes all the time must not fill the memory.
        if (seen.size > CAPACITY) seen.remove(seen.first())
        return true
    }

    companion object {
        /** Number of texts that are remembered before the oldest is forgotten. */
        const val CAPACITY = 64
    }
}
