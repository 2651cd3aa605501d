import { type Environment, integerSetting } from '../settings.ts'

export interface PlatformSettings {
  /** Accounts of the broker on the platform. */
  readonly botCount: number
  /** Inventories that one address may read in a minute. 0 sets no limit. */
  readonly readsPerMinute: number
}

export function readPlatformSettings(environment: Environment): PlatformSettings {
  return {
    botCount: integerSetting(environment, 'SANDBOX_BOTS', { fallback: 3, most: 100 }),
    readsPerMinute: integerSetting(environment, 'SANDBOX_PLATFORM_READS_PER_MINUTE', {
      fallback: 0,
      most: 1_000_000,
    }),
  }
}
