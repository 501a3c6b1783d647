package dev.countersign.sdk.support

/** Reads and writes the subset of JSON that the tests need. */
object Json {
    /**
     * Returns the text of the first member with this name; escapes other than those of quotes are refused.
     */
    fun text(json: String, name: String): String? {
        val found = Regex("\"${Regex.escape(name)}\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*)\"").find(json)
        return found?.groupValues?.get(1)?.let(::unescape)
    }

    fun quote(text: String): String {
        val escaped = text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n")
        return "\"$escaped\""
    }

    private fun unescape(text: String) = Regex("\\\\(u[0-9a-fA-F]{4}|.)").replace(text) {
        when (val escape = it.groupValues[1]) {
            "n" -> "\n"
            "t" -> "\t"
            "r" -> "\r"
            "b" -> "\b"
            "f" -> "\u000c"
            "\"", "\\", "/" -> escape
            else -> escape.drop(1).toInt(16).toChar().toString()
        }
    }
}
