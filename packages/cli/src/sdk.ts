// The only import of the SDK. By path and not by name: in the repository the SDK is not compiled, and the
// package contains it, so that the two always have the same version.
export * from '../../sdk/src/index.ts'
export * as live from '../../sdk/src/live/index.ts'
export * as partner from '../../sdk/src/partner/index.ts'
