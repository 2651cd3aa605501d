// Reads the settings from the environment, or from the files that it names.
import { readFileSync, statSync } from 'node:fs'
import { Value } from 'typebox/value'
import { CannotStart } from '#infra/process/cannot-start'
import type { MarketId } from '#kernel/market-id'
import { forEachMarket, type MarketOptions } from '../adapters/markets.ts'
import { marketKey, marketOption, marketUrl } from './market-settings.ts'
import type { Secret, Setting } from './setting-forms.ts'
import { SETTINGS, type Values } from './settings.ts'

/** Reads every setting. Bad values stop the process with the names of their variables, of all at once. */
export function readSettings(env: NodeJS.ProcessEnv): Values {
  const problems: string[] = []
  const values = Object.entries(SETTINGS.properties as Record<string, Setting<unknown>>).map(
    ([name, setting]) => {
      try {
        return [name, readSetting(name, setting, env)]
      } catch (error) {
        if (!(error instanceof CannotStart)) throw error
        problems.push(error.message)
        return [name, null]
      }
    },
  )
  if (problems.length > 0) throw new CannotStart(problems.join(' '))
  return Object.freeze(Object.fromEntries(values)) as Values
}

export interface MarketSettings {
  readonly url: string | null
  readonly key: Secret | null
  /** Those that are set. */
  readonly options: MarketOptions
}

export const readMarketSettings = (
  env: NodeJS.ProcessEnv,
): Readonly<Record<MarketId, MarketSettings>> =>
  forEachMarket((market) => ({
    url: readSetting(market.variables.url, marketUrl(market), env),
    key: readSetting(market.variables.key, marketKey(market), env),
    options: Object.fromEntries(
      (market.options ?? []).flatMap((option) => {
        const value = readSetting(option.variable, marketOption(option), env)
        return value === null ? [] : [[option.field, value]]
      }),
    ),
  }))

/** Those that are not set have what holds then; nothing where the sandbox plays it. */
export const marketOptionsOf = (
  settings: Readonly<Record<MarketId, MarketSettings>>,
  isSandbox: boolean,
): Readonly<Record<MarketId, MarketOptions>> =>
  forEachMarket(({ id, options = [] }) => ({
    ...Object.fromEntries(
      options
        .map(({ field, unset, inSandbox }) => [field, isSandbox ? inSandbox : unset])
        .filter(([, value]) => value !== null),
    ),
    ...settings[id]?.options,
  }))

function readSetting<T>(name: string, setting: Setting<T>, env: NodeJS.ProcessEnv): T | null {
  const given =
    env[name]?.trim() || (setting.secret ? readFile(`${name}_FILE`, env, setting) : undefined)
  if (!given) return setting.default ?? null
  if (Value.Check(setting, given)) return Value.Decode(setting, given) as T
  const shown = setting.secret ? 'the value that is set' : JSON.stringify(given)
  throw new CannotStart(`${name} must be ${setting.must}, not ${shown}.`)
}

function readFile(
  name: string,
  env: NodeJS.ProcessEnv,
  { ownFile }: Pick<Setting<unknown>, 'ownFile'>,
): string | undefined {
  const path = env[name]?.trim()
  if (!path) return undefined
  try {
    const text = readFileSync(path, 'utf8').trim()
    if (!ownFile || (statSync(path).mode & 0o077) === 0) return text
  } catch (error) {
    throw new CannotStart(`${name} names a file that cannot be read: ${(error as Error).message}.`)
  }
  throw new CannotStart(`${name} names a file that others may read: chmod 600 it.`)
}
