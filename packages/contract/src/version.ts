import manifest from '../package.json' with { type: 'json' }

/** Of the service, its packages and its interfaces: all are released together. */
export const VERSION: string = manifest.version
