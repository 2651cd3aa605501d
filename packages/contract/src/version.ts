/**
 * Of the interfaces, as the specification numbers that of merchants. It is not the version of the packages:
 * a release may change neither.
 */
export const INTERFACE_VERSION = '0.4.3'
