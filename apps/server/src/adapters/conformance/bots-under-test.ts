// What each promise of selling's port is tried with: an adapter, a living platform, and offers between them.
import assert from 'node:assert/strict'
import { openGuard } from '#infra/testing/open-guard'
import { newId } from '#kernel/id'
import type { GamePlatform } from '#ports/identity'
import type {
  AssetRef,
  Bots,
  ExchangeSnapshot,
  Inventories,
  NewOffer,
  OfferSnapshot,
  Outcome,
  PlatformItem,
} from '#ports/selling'
import { eventually, type PlatformEnvironment } from './environment.ts'

export interface AccountsUnderTest {
  readonly inventories: Inventories
  readonly bots: Bots
  watchBots(signal: AbortSignal, context: { readonly requestId: string }): Promise<void>
}

export interface BotsUnderTest extends AccountsUnderTest {
  readonly platform: GamePlatform
  /** The same adapter in another process. */
  readonly other: AccountsUnderTest
  /** The same adapter pointed at a closed port. */
  readonly astray: AccountsUnderTest
  readonly environment: PlatformEnvironment
}

export const CONTEXT = { requestId: 'conformance', guard: openGuard }
export const READ = { requestId: 'conformance', tenantId: newId(), notBefore: null }
export const NEVER = new AbortController().signal
const FIRST_PLATFORM_ID = 76_561_197_960_265_728n
export const idOf = (partner: number): string => String(FIRST_PLATFORM_ID + BigInt(partner))

export interface Sent {
  readonly botId: string
  readonly offerId: string
}

export async function send(bots: Bots, offer: NewOffer): Promise<Sent> {
  const { offerId } = okOf(await bots.sendOffer(offer, CONTEXT))
  return { botId: offer.botId, offerId }
}

export async function freshList({ watchBots, bots }: BotsUnderTest) {
  await watchBots(NEVER, CONTEXT)
  return bots.list(CONTEXT)
}

export async function botOf(subject: Pick<BotsUnderTest, 'environment'>): Promise<string> {
  const [first] = await subject.environment.secretsOf()
  assert.ok(first)
  return first.platformId
}

/** An offer for some items of a new partner. */
export async function offerTo(
  subject: Pick<BotsUnderTest, 'environment' | 'inventories'>,
  {
    token = 'accept00',
    count = 1,
    partner = subject.environment.newPartner(),
  }: { readonly token?: string; readonly count?: number; readonly partner?: number } = {},
): Promise<NewOffer> {
  const { items } = okOf(await subject.inventories.read(idOf(partner), READ))
  const take = items.filter(({ tradable }: PlatformItem) => tradable).slice(0, count)
  const offerIntentId = newId()
  return {
    offerIntentId,
    botId: await botOf(subject),
    partner,
    token,
    take: take.map(({ assetId, contextId }) => ({ assetId, contextId })),
    give: [],
    message: `Sale ${offerIntentId}`,
  }
}

export function until(bots: Bots, { botId, offerId }: Sent, state: OfferSnapshot['state']) {
  return eventually(`the offer is ${state}`, async () => {
    const seen = okOf(await bots.lookUp(botId, [offerId], CONTEXT)).get(offerId)
    return seen?.state === state && seen
  })
}

export async function tradeOf(
  bots: Bots,
  { botId }: Sent,
  tradeId: string,
): Promise<ExchangeSnapshot> {
  return okOf(await bots.readExchange(botId, tradeId, CONTEXT))
}

/** A persona is private to all once its private trade URL was seen. */
export async function seePrivate(subject: BotsUnderTest, partner: number): Promise<void> {
  const url = { partner, token: 'privat00', platformId: idOf(partner), canonical: '' }
  await subject.platform.resolveTradeUrl(url, READ)
}

export const ids = (assets: readonly AssetRef[]): string[] =>
  assets.map(({ assetId }) => assetId).sort()
export const keys = (assets: readonly AssetRef[]): string[] =>
  assets.map(({ assetId, contextId }) => `${contextId}:${assetId}`).sort()

export function okOf<T>(outcome: Outcome<T>): T {
  assert.ok(outcome.kind === 'ok', JSON.stringify(outcome))
  return outcome.value
}
