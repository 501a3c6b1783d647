package dev.countersign.sdk.scanner.camera

/** Size of a camera's picture in pixels, in the sensor's orientation: usually wider than high. */
internal data class FrameSize(val width: Int, val height: Int) {
    private val long get() = maxOf(width, height)
    private val short get() = minOf(width, height)
    private val area get() = width.toLong() * height

    /** Sizes of the visible picture and of the frames that are searched for codes. */
    data class Choice(val preview: FrameSize, val frames: FrameSize)

    companion object {
        private const val SHORT_SIDE = 720

        /**
         * Every camera can provide pictures up to this size for a preview and for frames at the same time.
         */
        private const val LONG_SIDE = 1920

        /**
         * Chooses sizes that a camera supports for both, if there are any. Null if the camera has no sizes.
         */
        fun choose(preview: List<FrameSize>, frames: List<FrameSize>): Choice? {
            best(preview.intersect(frames.toSet()))?.let { return Choice(it, it) }
            val shown = best(preview)
            val searched = best(frames)
            return if (shown == null || searched == null) null else Choice(shown, searched)
        }

        /** The smallest size in which a small code can be read, otherwise the largest one below it. */
        private fun best(sizes: Collection<FrameSize>): FrameSize? {
            val usable = sizes.filter { it.short > 0 && it.long <= LONG_SIDE }
            return usable.filter { it.short >= SHORT_SIDE }.minByOrNull { it.area }
                ?: usable.maxByOrNull { it.area }
                ?: sizes.filter { it.short > 0 }.minByOrNull { it.area }
        }
    }
}
