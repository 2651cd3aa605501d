import type { Persona } from './ports.ts'

export interface TradeUrl extends Persona {
  readonly id: string
  readonly accountId: string
  readonly url: string
  readonly isPrimary: boolean
  readonly createdAt: Date
}

/** Individual account, instance 1, of the public universe: what is added to a 32-bit account id. */
const FIRST_PLATFORM_ID = 76_561_197_960_265_728n

export const platformIdOf = (partner: number): string => String(FIRST_PLATFORM_ID + BigInt(partner))
