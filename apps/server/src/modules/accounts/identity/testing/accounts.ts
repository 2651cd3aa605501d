// Merchants and sub-users, for tests.

import { readTradeUrl as read } from '@tradepost/contract'
import type { Db } from '#infra/database/db'
import { newId } from '#kernel/id'
import type { Currency } from '#kernel/money'
import type { MerchantFees, SubUser } from '../account.ts'
import { createSubUser, type NewSubUser } from '../create-sub-user.ts'
import type { GamePlatform, TradeUrlAnswer } from '../ports.ts'
import { createMerchant } from '../principals.ts'
import type { TradeUrlText } from '../resolve-trade-url.ts'

export const AT = new Date('2026-11-20T12:00:00.000Z')

export const FEES: MerchantFees = {
  feeBps: 300,
  buyFeeBps: 200,
  sellFeeBps: 150,
  childDefaultFeeBps: null,
}

export async function aMerchant(
  db: Db,
  {
    currency = 'USD' as Currency,
    fees = {} as Partial<MerchantFees>,
    email = `merchant-${newId()}@example.com`,
  } = {},
): Promise<{ id: string; currency: Currency }> {
  const { id } = await db.transaction((tx) =>
    createMerchant(tx, {
      email,
      name: 'A merchant',
      currency,
      country: null,
      tier: 'standard',
      fees: { ...FEES, ...fees },
      at: AT,
    }),
  )
  return { id, currency }
}

export async function aSubUser(
  db: Db,
  merchantId: string,
  wanted: Partial<NewSubUser> = {},
): Promise<SubUser> {
  const { subUser } = await db.transaction((tx) =>
    createSubUser(tx, {
      merchantId,
      currency: 'USD',
      email: null,
      platformId: null,
      externalId: null,
      at: AT,
      ...wanted,
    }),
  )
  return subUser
}

export const urlOf = (partner: number, token = 'accept00'): string =>
  `https://steamcommunity.com/tradeoffer/new/?partner=${partner}&token=${token}`

export const readTradeUrl = (text: string): TradeUrlText | null => read(text, 'steamcommunity.com')

/** A platform that resolves every trade URL but those with the tokens of `answers`; records its calls. */
export function aPlatform(answers: Record<string, TradeUrlAnswer> = {}): GamePlatform & {
  asked: string[]
} {
  const asked: string[] = []
  return {
    asked,
    resolveTradeUrl: async (url) => {
      asked.push(url.canonical)
      return (
        answers[url.token] ?? {
          kind: 'resolved',
          holdDays: 0,
          probation: false,
          persona: {
            platformId: url.platformId,
            personaName: `Persona ${url.partner}`,
            avatarUrl: 'https://avatars.example/a.jpg',
            profileUrl: `https://steamcommunity.com/profiles/${url.platformId}`,
          },
        }
      )
    },
  }
}
