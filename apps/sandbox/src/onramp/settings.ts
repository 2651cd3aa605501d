import { type Environment, keysSetting, objectSetting, textSetting } from '../settings.ts'

export interface OnrampSettings {
  readonly apiKey: string
  readonly secret: string
  /** The merchant's applications. */
  readonly appIds: readonly string[]
  /** Between two steps of an order that is paid: bought, sent, arrived. */
  readonly stepMs: number
  /** After which an order that is not paid times out. */
  readonly lifeMs: number
  /** Calls with a timestamp further away are refused. */
  readonly driftMs: number
}

const TIMES = { stepMs: 500, lifeMs: 1_200_000, driftMs: 60_000 }

export function readOnrampSettings(environment: Environment): OnrampSettings {
  return {
    ...objectSetting(environment, 'SANDBOX_ONRAMP_SETTINGS', { defaults: TIMES, choices: {} }),
    apiKey: textSetting(environment, 'SANDBOX_ONRAMP_KEY', 'sandbox-onramp'),
    secret: textSetting(environment, 'SANDBOX_ONRAMP_SECRET', 'sandbox-onramp-secret'),
    appIds: keysSetting(environment, 'SANDBOX_ONRAMP_APP_ID', '1'),
  }
}
