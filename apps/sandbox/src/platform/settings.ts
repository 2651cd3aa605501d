import { ConfigFault, type Environment, integerSetting, textSetting } from '../settings.ts'

export interface PlatformSettings {
  /** Accounts of the broker on the platform. */
  readonly botCount: number
  /** Inventories that one address may read in a minute. 0 sets no limit. */
  readonly readsPerMinute: number
  /** Calls without the headers of their kind are refused. */
  readonly demandsHeaders: boolean
}

export function readPlatformSettings(environment: Environment): PlatformSettings {
  return {
    botCount: integerSetting(environment, 'SANDBOX_BOTS', { fallback: 3, most: 100 }),
    readsPerMinute: integerSetting(environment, 'SANDBOX_PLATFORM_READS_PER_MINUTE', {
      fallback: 0,
      most: 1_000_000,
    }),
    demandsHeaders: readDemand(textSetting(environment, 'SANDBOX_PLATFORM_HEADERS', 'strict')),
  }
}

function readDemand(value: string): boolean {
  if (value === 'strict' || value === 'off') return value === 'strict'
  throw new ConfigFault(`SANDBOX_PLATFORM_HEADERS must be strict or off, not "${value}".`)
}
