import { resolve } from 'node:path'
import { type Environment, integerSetting, textSetting } from './settings.ts'

/** The settings of the process and of the dataset. Each party reads its own from `environment`. */
export interface Config {
  readonly host: string
  readonly port: number
  /** Null keeps everything in memory. */
  readonly dataDir: string | null
  readonly seed: number
  readonly listingCount: number
  /** How many kinds of items there are at most: the most traded ones. */
  readonly itemCount: number
  readonly changesPerSecond: number
  /** In the first second of each minute. */
  readonly burstChanges: number
  readonly holdMs: number
  readonly environment: Environment
}

export function readConfig(environment: Environment): Config {
  const integer = (name: string, bounds: Parameters<typeof integerSetting>[2]): number =>
    integerSetting(environment, name, bounds)
  return Object.freeze({
    host: textSetting(environment, 'SANDBOX_HOST', '127.0.0.1'),
    port: integer('SANDBOX_PORT', { fallback: 3001, most: 65_535 }),
    dataDir: optionalPath(environment, 'SANDBOX_DATA_DIR'),
    seed: integer('SANDBOX_SEED', { fallback: 1, most: 4_294_967_295 }),
    listingCount: integer('SANDBOX_LISTINGS', { fallback: 55_000, most: 1_000_000 }),
    // With fewer, some kinds would have no item: no sticker for a weapon, no knife with a phase.
    itemCount: integer('SANDBOX_ITEMS', { fallback: 100_000, least: 2_000, most: 100_000 }),
    changesPerSecond: integer('SANDBOX_CHANGES_PER_SECOND', { fallback: 20, most: 5_000 }),
    burstChanges: integer('SANDBOX_BURST_CHANGES', { fallback: 0, most: 10_000 }),
    holdMs: integer('HOLD_SECONDS', { fallback: 20, least: 1, most: 31_536_000 }) * 1000,
    environment,
  })
}

function optionalPath(environment: Environment, name: string): string | null {
  const value = textSetting(environment, name, '')
  return value === '' ? null : resolve(value)
}
