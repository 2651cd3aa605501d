// What the service is for, once through each of its counterparts.
import assert from 'node:assert/strict'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { Tradepost } from '../../packages/sdk/src/index.ts'
import { payByGateway } from '../support/deposits.ts'
import type { MarketId } from '../support/sandbox.ts'
import { buyRaw, stock, TERMINAL, tradeUrl } from '../support/trading.ts'
import { CannotCome, until } from '../support/until.ts'
import { DESTINATION, type World } from './world.ts'

const BUYER = 'buyer'
const SELLER = 'seller'
/** The presets of production look every ten seconds, and twelve blocks are waited for. */
const PATIENCE = { deadlineMs: 240_000, everyMs: 500 }

/** Everything once, with accounts of its own. */
export interface Round {
  readonly name: string
  /** Ends what is waited for: another part of it has failed. */
  readonly signal: AbortSignal
}

const patienceOf = ({ signal }: Round) => ({ ...PATIENCE, signal })

/** Creates the accounts of a round, and what their trade URLs lead to. */
export async function openUsers({ merchant }: World, round: string): Promise<void> {
  for (const externalId of [`${BUYER}-${round}`, `${SELLER}-${round}`]) {
    await merchant.get('createSubUser', { body: { externalId } })
  }
}

export async function depositByGateway(world: World, round: Round): Promise<void> {
  const { merchant, control } = world
  const behalf = `${BUYER}-${round.name}`
  const paid = await payByGateway(merchant, {
    ...{ behalf, amount: '300.00', deadlineMs: 30_000 },
    control: (...command) => control.call(...command),
  })
  await untilDeposited(world, round, paid.id)
}

export async function depositByCard(world: World, round: Round): Promise<void> {
  const { merchant, control } = world
  const behalf = `${BUYER}-${round.name}`
  const body = { payAmount: '50.00', payCurrency: 'EUR' }
  const { quoteToken } = await merchant.get('quoteOnramp', { behalf, body })
  const opened = await merchant.get('createOnramp', { behalf, body: { quoteToken } })
  assert.equal((await fetch(opened.widgetUrl)).status, 200)
  await control.call('POST', `/onramp/${opened.fundingId}/complete`)
  await untilDeposited(world, round, opened.fundingId)
}

const untilDeposited = ({ merchant }: World, round: Round, id: string) =>
  until(
    `deposit ${id} is completed`,
    async () => {
      const { status } = await merchant.get('getDeposit', {
        behalf: `${BUYER}-${round.name}`,
        params: { id },
      })
      if (status === 'completed') return true
      throw new Error(`it is ${status}`)
    },
    patienceOf(round),
  )

/** A listing of the market that the service has for sale, to its completed trade. */
export async function buy(world: World, round: Round, market: MarketId): Promise<void> {
  const { merchant, control } = world
  const behalf = `${BUYER}-${round.name}`
  const supply = await stock(control, market)
  let listing = supply.take()
  const { id } = await until(
    `something of ${market} is bought`,
    async () => {
      const raw = [`${market}:${listing.id}`]
      const { data, error } = await buyRaw(merchant, { raw, behalf })
      if (data !== null) return data
      if (!error || !LATER.includes(error.key)) throw new CannotCome(JSON.stringify(error))
      // Of a seller who delivers too seldom, or not read yet.
      if (error.key === 'LISTING_NOT_FOUND') listing = supply.take()
      throw new Error(error.key)
    },
    patienceOf(round),
  )
  await untilCompleted(world, round, id)
}

/** A client comes again: markets are read in the first minute, and trade URLs within a budget. */
const LATER = ['LISTING_NOT_FOUND', 'PLATFORM_UNAVAILABLE', 'MARKET_UNAVAILABLE']

async function untilCompleted({ merchant }: World, round: Round, tradeId: string): Promise<void> {
  await until(
    `trade ${tradeId} is completed`,
    async () => {
      const { status } = await merchant.get('getMerchantTrade', { params: { tradeId } })
      if (status === 'completed') return true
      if (TERMINAL.includes(status)) throw new CannotCome(`it is ${status}`)
      throw new Error(`it is ${status}`)
    },
    patienceOf(round),
  )
}

export async function sell(world: World, round: Round): Promise<void> {
  const { merchant } = world
  const behalf = `${SELLER}-${round.name}`
  const url = tradeUrl('accept00', 51_000_000 + round.name.length * 97 + round.name.charCodeAt(0))
  await until(
    'the trade URL of a seller is known',
    async () => (await merchant.call('createTradeUrl', { behalf, body: { url } })).data !== null,
    patienceOf(round),
  )
  const { id } = await until(
    'a bot buys an item',
    async () => {
      const inventory = await merchant.call('getSellInventory', { behalf })
      const item = inventory.data?.items.find(({ accepted }) => accepted)
      if (item === undefined) throw new Error(JSON.stringify(inventory.error ?? 'none is accepted'))
      const body = { items: [{ id: item.id, price: item.price.toFixed(2) }] }
      const { data, error } = await merchant.call('sell', { behalf, body })
      if (data !== null) return data
      // A bot signs in again, and its inventory is not known until it has.
      if (error?.key !== 'SELL_NO_BOT_AVAILABLE') throw new CannotCome(JSON.stringify(error))
      throw new Error(error.key)
    },
    patienceOf(round),
  )
  await untilCompleted(world, round, id)
}

/**
 * Tokens of the merchant go into its custody, and out to an address outside. What the wallets need of their
 * own comes first, as before a first deposit.
 */
export async function withdraw(world: World, round: Round): Promise<void> {
  const { merchant, control, wallets } = world
  const tradepost = new Tradepost({ baseUrl: merchant.baseUrl, apiKey: merchant.apiKey })
  for (const wallet of wallets) await world.pay(wallet, 'NATIVE', '5')
  await world.pay(wallets[0] ?? '', 'USDC', '80')
  const { address } = await tradepost.payouts.address()
  const before = (await tradepost.payouts.balances()).totalCents
  await world.pay(address, 'USDC', '80')
  /** A chain of the sandbox makes a block a second: those that are waited for come at once. */
  const goesOn = () => control.call('POST', '/chains/ethereum/mine', { blocks: 2 })
  await until(
    'custody is credited',
    async () => {
      await goesOn()
      return (await tradepost.payouts.balances()).totalCents >= before + 8000
    },
    patienceOf(round),
  )
  const asked = { chain: 'ethereum', token: 'USDC', destination: DESTINATION } as const
  const order = { externalId: newId(), ...asked, amountCents: 2500 }
  const { id } = await tradepost.payouts.withdraw(order)
  await until(
    'the withdrawal is confirmed',
    async () => {
      await goesOn()
      const { status, failureReason } = await tradepost.payouts.get(id)
      if (status === 'confirmed') return true
      if (status === 'refunded') throw new CannotCome(failureReason ?? status)
      throw new Error(`it is ${status}`)
    },
    patienceOf(round),
  )
}
