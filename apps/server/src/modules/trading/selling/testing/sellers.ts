// Builders for database tests: accounts that can sell, and the deps of a sell over a scripted platform.
import { randomInt } from 'node:crypto'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { newId } from '#kernel/id'
import { type Cents, type Currency, cents, mills } from '#kernel/money'
import { createPauseReader, findReplay, lastMoveOf } from '#trades'
import { givenBuyer, givenMerchant } from '../../buying/testing/buyers.ts'
import { createPolicyReader } from '../policy.ts'
import { createSell, type SellDeps, type Seller } from '../sell.ts'
import { anAsset, type ScriptedPlatform } from './platform.ts'

export interface SellerOptions {
  readonly currency?: Currency
  readonly merchantCurrency?: Currency
  readonly merchantFeeBps?: number
  readonly tenantId?: string
}

/** A sub-user with a linked account and, by default, a merchant's fee of 2%. */
export async function givenSeller(db: Db, options: SellerOptions = {}): Promise<Seller> {
  const { currency = 'USD', merchantCurrency = 'USD', merchantFeeBps = 200 } = options
  const tenantId = options.tenantId ?? (await givenMerchant(db, merchantCurrency))
  const buyer = await givenBuyer(db, { tenantId, balance: 0n, currency, merchantCurrency })
  return {
    accountId: buyer.accountId,
    tenantId,
    currency,
    merchantCurrency,
    merchantFeeBps,
    platformId: buyer.primaryTradeUrl?.platformId ?? null,
    primaryTradeUrl: buyer.primaryTradeUrl,
  }
}

/** A sub-user of another tenant, which has linked the same platform account. */
export async function sameUserElsewhere(db: Db, seller: Seller): Promise<Seller> {
  const { platformId, primaryTradeUrl } = seller
  return { ...(await givenSeller(db)), platformId, primaryTradeUrl }
}

/** New assets in this account's inventory. */
export function givenAssets(platform: ScriptedPlatform, seller: Seller, count = 1): string[] {
  const ids = Array.from({ length: count }, () => String(randomInt(1, 2 ** 47)))
  const own = platform.items.get(seller.platformId ?? '') ?? []
  platform.items.set(seller.platformId ?? '', [...own, ...ids.map((id) => anAsset(id))])
  return ids
}

/** 10.00 USD on the platform, sold often enough for the best band of the default policy: 8.00 are paid. */
const REFERENCE_MILLS = mills(10_000n)
export const QUOTE = cents(800n)
const RATE = 1_100_000n

export function sellDeps(db: Db, clock: Clock, platform: ScriptedPlatform): SellDeps {
  return {
    db,
    clock,
    inventories: platform,
    bots: platform,
    findItem: (marketHashName) =>
      marketHashName.startsWith('AK-47')
        ? {
            id: '00000000000000aa',
            game: 'cs2',
            referenceMills: REFERENCE_MILLS,
            quotable: true,
            volume: 100,
            phase: null,
            exterior: 'Field-Tested',
            rarity: 'Classified',
            rarityColor: 'd32ce6',
            type: 'Rifle',
          }
        : null,
    readPolicy: createPolicyReader({ db, clock }),
    lastMoveOf: (accountId) => lastMoveOf(db, accountId),
    isPaused: createPauseReader(db, clock),
    resolveTradeUrl: async (url) => {
      const partner = Number(new URL(url).searchParams.get('partner'))
      const token = new URL(url).searchParams.get('token') ?? ''
      return { url, partner, token, platformId: String(76_561_197_960_265_728n + BigInt(partner)) }
    },
    currentRate: async () => RATE,
    findReplay: (key) => findReplay(db, key),
  }
}

/** Sells these assets at the quote. */
export const sellAssets = (
  deps: SellDeps,
  seller: Seller,
  assetIds: readonly string[],
  options: { externalId?: string; price?: Cents; tradeUrl?: string } = {},
) =>
  createSell(deps)(seller, {
    requestId: newId(),
    externalId: options.externalId ?? null,
    tradeUrl: options.tradeUrl ?? null,
    items: assetIds.map((assetId) => ({ asset: { assetId }, price: options.price ?? QUOTE })),
  })
