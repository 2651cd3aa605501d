// The demo: accounts with money and keys for a first start, made once.
export { type DemoCredentials, type SeedDeps, seedDemo } from './seed.ts'
