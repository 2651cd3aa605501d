import { resolve } from 'node:path'
import {
  MARKET_A_CHOICES,
  MARKET_A_DEFAULTS,
  type MarketASettings,
} from './markets/market-a/settings.ts'
import {
  MARKET_B_CHOICES,
  MARKET_B_DEFAULTS,
  type MarketBSettings,
} from './markets/market-b/settings.ts'

/** Every setting of the program. Read once, here only, then frozen. */
export interface Config {
  readonly host: string
  readonly port: number
  /** Null keeps everything in memory. */
  readonly dataDir: string | null
  readonly seed: number
  readonly listingCount: number
  readonly changesPerSecond: number
  readonly holdMs: number
  readonly marketAKeys: readonly string[]
  readonly marketBKeys: readonly string[]
  /** 0 sets no limit. One call more in a second revokes the key, as market A does. */
  readonly marketACallsPerSecond: number
  /** Budget of market B's ordinary calls; the other groups follow it in proportion. 0 sets no limit. */
  readonly marketBCallsPerMinute: number
  /** Accounts of the broker on the platform. */
  readonly botCount: number
  /** Inventories that one address may read in a minute. 0 sets no limit. */
  readonly platformReadsPerMinute: number
  /** What the markets' documents leave open, as JSON in one variable each. */
  readonly marketA: MarketASettings
  readonly marketB: MarketBSettings
}

/** A setting that cannot be used. The message names the variable. */
export class ConfigFault extends Error {}

type Environment = Readonly<Record<string, string | undefined>>

export function readConfig(environment: Environment): Config {
  return Object.freeze({
    host: text(environment, 'SANDBOX_HOST', '127.0.0.1'),
    port: integer(environment, 'SANDBOX_PORT', 3001, 0, 65_535),
    dataDir: optionalPath(environment, 'SANDBOX_DATA_DIR'),
    seed: integer(environment, 'SANDBOX_SEED', 1, 0, 4_294_967_295),
    listingCount: integer(environment, 'SANDBOX_LISTINGS', 55_000, 0, 1_000_000),
    changesPerSecond: integer(environment, 'SANDBOX_CHANGES_PER_SECOND', 20, 0, 5_000),
    holdMs: integer(environment, 'HOLD_SECONDS', 20, 1, 31_536_000) * 1000,
    marketAKeys: keys(environment, 'SANDBOX_MARKET_A_KEY', 'sandbox-market-a'),
    marketBKeys: keys(environment, 'SANDBOX_MARKET_B_KEY', 'sandbox-market-b'),
    marketACallsPerSecond: integer(environment, 'SANDBOX_MARKET_A_CALLS_PER_SECOND', 5, 0, 100_000),
    marketBCallsPerMinute: integer(
      environment,
      'SANDBOX_MARKET_B_CALLS_PER_MINUTE',
      60,
      0,
      1_000_000,
    ),
    botCount: integer(environment, 'SANDBOX_BOTS', 3, 0, 100),
    platformReadsPerMinute: integer(
      environment,
      'SANDBOX_PLATFORM_READS_PER_MINUTE',
      0,
      0,
      1_000_000,
    ),
    marketA: openQuestions(environment, 'SANDBOX_MARKET_A_SETTINGS', {
      defaults: MARKET_A_DEFAULTS,
      choices: MARKET_A_CHOICES,
    }),
    marketB: openQuestions(environment, 'SANDBOX_MARKET_B_SETTINGS', {
      defaults: MARKET_B_DEFAULTS,
      choices: MARKET_B_CHOICES,
    }),
  })
}

function text(environment: Environment, name: string, fallback: string): string {
  const value = environment[name]
  return value === undefined || value === '' ? fallback : value
}

function optionalPath(environment: Environment, name: string): string | null {
  const value = text(environment, name, '')
  return value === '' ? null : resolve(value)
}

function integer(
  environment: Environment,
  name: string,
  fallback: number,
  least: number,
  most: number,
): number {
  const value = text(environment, name, String(fallback))
  const number = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN
  if (!(number >= least && number <= most)) {
    throw new ConfigFault(
      `${name} must be a whole number from ${least} to ${most}, not "${value}".`,
    )
  }
  return number
}

/** Several keys may be accepted, separated by commas; each has a brokerage account of its own. */
function keys(environment: Environment, name: string, fallback: string): readonly string[] {
  const list = text(environment, name, fallback)
    .split(',')
    .map((key) => key.trim())
  if (list.some((key) => key === '')) throw new ConfigFault(`${name} must not hold an empty key.`)
  return list
}

/** A JSON object that overrides some defaults; a field that is unknown or of another kind stops. */
function openQuestions<T extends object>(
  environment: Environment,
  name: string,
  { defaults, choices }: { readonly defaults: T; readonly choices: Choices },
): T {
  const overrides = parseObject(name, text(environment, name, '{}'))
  for (const [field, value] of Object.entries(overrides)) {
    const normal = (defaults as Record<string, unknown>)[field]
    if (normal === undefined) throw new ConfigFault(`${name} has no setting "${field}".`)
    const allowed = choices[field]
    const isGood =
      allowed === undefined
        ? typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
        : allowed.includes(String(value))
    if (!isGood) {
      throw new ConfigFault(
        `${name}: ${field} must be ${allowed === undefined ? 'a whole number' : allowed.join(' or ')}.`,
      )
    }
  }
  return { ...defaults, ...overrides }
}

type Choices = Readonly<Record<string, readonly string[]>>

function parseObject(name: string, json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Falls through to the sentence below.
  }
  throw new ConfigFault(`${name} must be a JSON object.`)
}
