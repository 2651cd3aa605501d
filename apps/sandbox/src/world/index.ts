export { createWorld } from './create-world.ts'
export type * from './types.ts'
