package dev.countersign.sdk.scanner.code

/** Texts that were reported. A text is not reported again. Thread-safe. */
internal class SeenTexts {
    private val seen = LinkedHashSet<String>()

    /** Whether the text was not reported before. */
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
        /** Texts that are remembered; then the oldest is forgotten. */
        const val CAPACITY = 64
    }
}
