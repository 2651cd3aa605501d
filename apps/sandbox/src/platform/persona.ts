import { pick, throwHex } from '../kernel/dice.ts'

/** What a buyer does, chosen by the 8-character token of the trade URL. */
export type Behaviour =
  | 'accepts'
  | 'declines'
  | 'never_answers'
  | 'waits_for_control'
  | 'private_inventory'
  | 'trade_banned'
  | 'platform_hold'
  | 'reverses'
  | 'seller_reverses'
  | 'slow_seller'

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  accept00: 'accepts',
  declin00: 'declines',
  expire00: 'never_answers',
  manual00: 'waits_for_control',
  privat00: 'private_inventory',
  banned00: 'trade_banned',
  holdup00: 'platform_hold',
  rvuser00: 'reverses',
  rvsupp00: 'seller_reverses',
  slowly00: 'slow_seller',
}

export function behaviourOf(token: string): Behaviour {
  return BEHAVIOURS[token] ?? 'accepts'
}

/** The two parameters of a trade URL, validated. */
export interface TradePartner {
  readonly partner: number
  readonly token: string
  readonly platformId: string
}

/** Where 64-bit ids of individual accounts begin: universe 1, type 1, instance 1. */
const FIRST_PLATFORM_ID = 76_561_197_960_265_728n

export function parseTradePartner(
  partner: string | undefined,
  token: string | undefined,
): TradePartner | null {
  if (partner === undefined || !/^[1-9]\d{0,9}$/.test(partner)) return null
  if (token === undefined || !/^[A-Za-z0-9_-]{8}$/.test(token)) return null
  const accountId = Number(partner)
  if (accountId > 0xffffffff) return null
  return { partner: accountId, token, platformId: platformIdOf(accountId) }
}

export function platformIdOf(accountId: number): string {
  return (FIRST_PLATFORM_ID + BigInt(accountId)).toString()
}

/** The 32-bit account behind a 64-bit id; null when the text is no individual's id. */
export function accountIdOf(platformId: string): number | null {
  if (!/^\d{17}$/.test(platformId)) return null
  const accountId = BigInt(platformId) - FIRST_PLATFORM_ID
  return accountId >= 1n && accountId <= 0xffffffffn ? Number(accountId) : null
}

export interface Persona {
  readonly accountId: number
  readonly platformId: string
  readonly name: string
  /** 40 hex digits, as the platform names its pictures. */
  readonly avatarHash: string
}

/** Every valid account id exists, and its persona is deterministic. */
export function personaOf(accountId: number): Persona {
  return {
    accountId,
    platformId: platformIdOf(accountId),
    name: `${pick(FIRST_WORDS, 'first', accountId)}${pick(SECOND_WORDS, 'second', accountId)}${accountId % 100}`,
    avatarHash: throwHex(40, 'avatar', accountId),
  }
}

const FIRST_WORDS = [
  'Quiet',
  'Copper',
  'Misty',
  'Rapid',
  'Velvet',
  'Silver',
  'Lucky',
  'Northern',
  'Hollow',
  'Amber',
  'Frosty',
  'Clever',
  'Wandering',
  'Golden',
  'Sleepy',
  'Iron',
] as const

const SECOND_WORDS = [
  'Falcon',
  'Otter',
  'Comet',
  'Lynx',
  'Harbor',
  'Magpie',
  'Willow',
  'Badger',
  'Raven',
  'Pebble',
  'Heron',
  'Tundra',
  'Walrus',
  'Cedar',
  'Marten',
  'Osprey',
] as const
