package dev.countersign.sdk.scanner.camera

/**
 * Lets one user at a time have the camera: the next one gets it when it is returned. All calls must be on one
 * thread.
 */
internal class Turns {
    private var holder: Any? = null
    private val waiting = LinkedHashMap<Any, () -> Unit>()

    /** Calls the block when it is the user's turn, possibly immediately. */
    fun take(user: Any, block: () -> Unit) {
        if (holder == null) {
            holder = user
            block()
        } else {
            waiting[user] = block
        }
    }

    /** Ends a user's turn, or its waiting. */
    fun giveBack(user: Any) {
        waiting.remove(user)
        if (holder !== user) return
        holder = null
        val next = waiting.entries.firstOrNull() ?: return
        waiting.remove(next.key)
        take(next.key, next.value)
    }
}
