import { type Environment, integerSetting, objectSetting, textSetting } from '../settings.ts'

export interface GatewaySettings {
  readonly clientId: string
  readonly secret: string
  /** From a payment to its confirmation. */
  readonly confirmMs: number
  /** From a late payment of a convert order to its conversion. */
  readonly convertMs: number
  /** What the gateway keeps of each payment. */
  readonly feeBps: number
  /** Calls with a timestamp further away are refused. */
  readonly driftMs: number
}

const TIMES = { confirmMs: 1_000, convertMs: 3_000, driftMs: 10_000 }

export function readGatewaySettings(environment: Environment): GatewaySettings {
  return {
    ...objectSetting(environment, 'SANDBOX_GATEWAY_SETTINGS', { defaults: TIMES, choices: {} }),
    clientId: textSetting(environment, 'SANDBOX_GATEWAY_KEY', 'sandbox-gateway'),
    secret: textSetting(environment, 'SANDBOX_GATEWAY_SECRET', 'sandbox-gateway-secret'),
    feeBps: integerSetting(environment, 'SANDBOX_GATEWAY_FEE_BPS', { fallback: 50, most: 1_000 }),
  }
}
