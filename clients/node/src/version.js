/** The version of this library. */
export const VERSION = '0.1.0'
