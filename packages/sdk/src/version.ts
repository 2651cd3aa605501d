/** The version of this package. */
export const VERSION = '0.4.3'
