// The ways in which the production profile is rehearsed. One world serves all of them, one after the other.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CALL_KINDS } from '../../apps/server/src/adapters/game-platform/index.ts'
import { tradeUrl } from '../support/trading.ts'
import { until } from '../support/until.ts'
import {
  buy,
  depositByCard,
  depositByGateway,
  openUsers,
  type Round,
  sell,
  withdraw,
} from './business.ts'
import type { World } from './world.ts'

export type Variant = (world: World) => Promise<void>

/** An empty database to everything that the service does. */
export const whole: Variant = async (world) => {
  await world.start()
  await doAll(world, 'a')
}

/** The platform has ended every session that the worker began with. */
export const deadSessions: Variant = async (world) => {
  await world.start()
  await untilTradeUrls(world, 'bots')
  await world.control.call('POST', '/platform/script', { next: ['end_sessions'] })
  await doAll(world, 'b')
}

/** Market B is alone, and no account of ours was ever on the platform: all but the sell. Comes first. */
export const marketBAlone: Variant = async (world) => {
  await world.control.setMarket('market_a', { online: false })
  await world.start({ PLATFORM_BOTS: '' })
  await untilTradeUrls(world, 'market_b')
  await inRound(world, 'c', [
    (round) => trade(world, round, ['market_b']),
    (round) => withdraw(world, round),
  ])
  const url = { url: tradeUrl('accept00', 52_000_001) }
  // Market B says little a minute of trade links: the buys had their turns before.
  await until(
    'the trade URL of a seller is known',
    async () =>
      (await world.merchant.call('createTradeUrl', { behalf: 'seller-c', body: url })).data !==
      null,
    { deadlineMs: 120_000, everyMs: 500 },
  )
  const { data } = await world.merchant.call('getSellInventory', { behalf: 'seller-c' })
  const items = (data?.items ?? [])
    .slice(0, 1)
    .map(({ id, price }) => ({ id, price: price.toFixed(2) }))
  const body = { items: items.length === 0 ? [{ assetid: '1', price: '1.00' }] : items }
  const { error } = await world.merchant.call('sell', { behalf: 'seller-c', body })
  assert.ok(error, 'without bots nothing is bought from users')
  await world.control.setMarket('market_a', { online: true })
}

/** Every table of headers is empty: the service says which kinds of calls are refused. */
export const noHeaders =
  (folder: string): Variant =>
  async (world) => {
    const emptied = Object.entries(CALL_KINDS).map(([kind, { headers }]) => {
      const none = Object.keys(headers).map((name) => [name, null])
      return [kind, { headers: Object.fromEntries(none) }]
    })
    const file = join(folder, 'call-kinds.json')
    writeFileSync(file, JSON.stringify(Object.fromEntries(emptied)), { mode: 0o600 })
    await world.start({ PLATFORM_CALL_KINDS: file })
    await openUsers(world, 'd')
    const url = { url: tradeUrl('accept00', 52_000_002) }
    const expected = ['trade-page', 'own-inventory', 'confirmations-list', 'acknowledge']
    await until(
      'the refused kinds are named',
      async () => {
        await world.merchant.call('createTradeUrl', { behalf: 'seller-d', body: url })
        const kinds = JSON.parse(await world.ops('platform:kinds', '--json')) as ShownKind[]
        const refused = kinds.filter(({ barred, bots }) => barred !== null || bots.length > 0)
        const names = refused.map(({ kind }) => kind)
        if (expected.every((kind) => names.includes(kind))) return true
        throw new Error(`said to be refused: ${names.join(', ')}`)
      },
      { deadlineMs: 180_000, everyMs: 1000 },
    )
    const said = world.worker().said()
    for (const kind of expected) {
      assert.match(said, new RegExp(`"kind":"${kind}","alarm":"headers_suspected"`), kind)
    }
  }

/** As `platform:kinds` shows it. */
interface ShownKind {
  readonly kind: string
  readonly barred: object | null
  readonly bots: readonly object[]
}

const doAll = (world: World, name: string): Promise<void> =>
  inRound(world, name, [
    (round) => trade(world, round, ['market_a', 'market_b']),
    (round) => sell(world, round),
    (round) => withdraw(world, round),
  ])

/** All parts at once. Where one fails the others end too: each would go on waiting for minutes. */
async function inRound(
  world: World,
  name: string,
  parts: readonly ((round: Round) => Promise<void>)[],
): Promise<void> {
  await openUsers(world, name)
  const failed = new AbortController()
  const round = { name, signal: failed.signal }
  await Promise.all(parts.map((part) => part(round).catch((error) => failed.abort(error))))
  round.signal.throwIfAborted()
}

/** What is bought is paid for with what was deposited. */
async function trade(
  world: World,
  round: Round,
  markets: readonly ('market_a' | 'market_b')[],
): Promise<void> {
  await Promise.all([depositByGateway(world, round), depositByCard(world, round)])
  await Promise.all(markets.map((market) => buy(world, round, market)))
}

async function untilTradeUrls(world: World, source: 'bots' | 'market_b'): Promise<void> {
  await until(`trade URLs are looked up by ${source}`, async () => {
    const answer = await fetch(`${world.api().baseUrl}/readyz`)
    const said = await answer.text()
    if (said.includes(`"${source}"`)) return true
    throw new Error(said)
  })
}
