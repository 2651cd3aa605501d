// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
export type * from './account.ts'
export type * from './buying.ts'
export type * from './catalogue.ts'
export type * from './children.ts'
export type * from './events.ts'
export type * from './health.ts'
export type * from './legacy.ts'
export type * from './shared.ts'
