// Deposits by chain, gateway and card, deposits into payout custody, and withdrawals, under way all the time.
// What really was paid is read from the chains afterwards; only what was acknowledged has to be remembered.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Withdrawal } from '@tradepost/contract'
import { DATABASE_LOST, dataOf, failureOf, wasNotRead } from '../../support/answers.ts'
import { type Client, createClient } from '../../support/client.ts'
import { type PaidOrder, payByGateway } from '../../support/deposits.ts'
import { aBuyer, centsOf } from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import { type Dice, pickWith } from '../dice.ts'
import { CHAINS, type ChainName, type MoneyStack, TOKENS, type TokenName } from '../worlds/money.ts'
import { startClients } from './clients.ts'

export interface Payer {
  readonly name: string
  readonly address: string
}

export interface Asked {
  readonly externalId: string
  readonly body: Readonly<Record<string, unknown>>
  readonly destination: string
  /** Null until an answer came. */
  answer: Withdrawal | { readonly refused: string } | null
}

export interface Payers {
  readonly users: readonly Payer[]
  readonly orders: PaidOrder[]
  readonly withdrawals: Asked[]
  /** Transactions of payers, newest last, by chain. */
  readonly payments: ReadonlyMap<ChainName, string[]>
  readonly counts: Map<string, number>
  /** Sends a withdrawal again under its external id. */
  ask(asked: Asked): Promise<void>
  stop(): Promise<void>
}

export const START_CENTS = 10_000
const CLIENTS = 3
const MEAN_PAUSE_MS = 900
const DEADLINE_MS = 10_000
const ACTIONS = [...'ccccccggoowwwwwww', 'k'] as const

export async function openPayers({ merchant }: MoneyStack, count: number): Promise<Payer[]> {
  const users: Payer[] = []
  for (let i = 0; i < count; i++) {
    const name = await aBuyer(merchant, `depositor-${i}`, (START_CENTS / 100).toFixed(2))
    const { address } = await merchant.get('getCryptoAddress', { behalf: name })
    users.push({ name, address })
  }
  return users
}

/** Enough of every token on every chain for all withdrawals, credited before anything is killed. */
export async function fillCustody({ merchant, control }: MoneyStack): Promise<string> {
  const { address } = await merchant.get('getPayoutAddress')
  for (const chain of CHAINS) {
    for (const token of TOKENS) {
      const amount = token === 'NATIVE' ? '50' : '400000'
      await control('POST', `/chains/${chain}/faucet`, { address, token, amount })
    }
  }
  await until(
    'custody is filled',
    async () => {
      const { balances } = await merchant.get('getPayoutBalances')
      return balances.length === CHAINS.length * TOKENS.length
    },
    { deadlineMs: 120_000, everyMs: 500 },
  )
  return address
}

export function startPayers(
  stack: MoneyStack,
  { users, custody }: { readonly users: readonly Payer[]; readonly custody: string },
  throwDice: Dice,
): Payers {
  const { apis, merchant, control } = stack
  const clients = apis
    .baseUrls()
    .map((baseUrl) => createClient({ baseUrl, apiKey: merchant.apiKey }))
  const pick = pickWith(throwDice)
  const orders: PaidOrder[] = []
  const withdrawals: Asked[] = []
  const payments = new Map(CHAINS.map((chain) => [chain, [] as string[]]))
  const counts = new Map<string, number>()
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)

  const pay = async (address: string, chain: ChainName, token: TokenName): Promise<void> => {
    const dollars = 6 + throwDice() * 900
    const amount = token === 'NATIVE' ? (dollars / 500).toFixed(9) : dollars.toFixed(6)
    const paid = await control<{ txHash: string }>('POST', `/chains/${chain}/faucet`, {
      ...{ address, token, amount },
    })
    payments.get(chain)?.push(paid.txHash)
  }
  const gateway = async (client: Client): Promise<void> => {
    const { name: behalf } = pick(users)
    const amount = (10 + throwDice() * 400).toFixed(2)
    const payment = { behalf, amount, deadlineMs: DEADLINE_MS, control }
    orders.push(await payByGateway(client, payment))
  }
  const onramp = async (client: Client): Promise<void> => {
    const { name: behalf } = pick(users)
    const options = { behalf, deadlineMs: DEADLINE_MS }
    const body = { payAmount: (25 + throwDice() * 200).toFixed(2), payCurrency: 'USD' }
    const { quoteToken } = dataOf(await client.call('quoteOnramp', { ...options, body }))
    const created = dataOf(await client.call('createOnramp', { ...options, body: { quoteToken } }))
    const id = created.fundingId
    await control('POST', `/onramp/${id}/complete`, {})
    orders.push({ method: 'onramp', id, behalf, promisedCents: centsOf(created.receiveAmountUsd) })
  }
  const ask = async (asked: Asked, client: Client): Promise<void> => {
    const why = await sendWithdrawal(client, asked)
    if (why !== null) count(`withdrawal: ${why}`)
  }
  const withdraw = async (client: Client): Promise<void> => {
    const destination = `0x${randomBytes(20).toString('hex')}`
    const externalId = `soak-${withdrawals.length + 1}`
    const amountCents = 100 + Math.floor(throwDice() * 20_000)
    const body = { chain: pick(CHAINS), token: pick(TOKENS), destination, amountCents, externalId }
    const asked: Asked = { externalId, body, destination, answer: null }
    withdrawals.push(asked)
    await ask(asked, client)
    if (asked.answer === null && throwDice() < 0.5) await ask(asked, client)
  }
  const act = async (): Promise<void> => {
    const client = pick(clients)
    const action = pick(ACTIONS)
    count(NAMES[action] ?? action)
    if (action === 'c') await pay(pick(users).address, pick(CHAINS), pick(TOKENS))
    else if (action === 'k') await pay(custody, pick(CHAINS), pick(TOKENS))
    else if (action === 'g') await gateway(client)
    else if (action === 'o') await onramp(client)
    else await withdraw(client)
  }
  const { stop } = startClients({
    ...{ count: CLIENTS, meanPauseMs: MEAN_PAUSE_MS, throwDice },
    act: async () => {
      if (apis.pids().length > 0) await act()
    },
    onCutOff: () => count('cut off'),
  })
  return {
    ...{ users, orders, withdrawals, payments, counts },
    ask: (asked) => ask(asked, merchant),
    stop,
  }
}

const NAMES: Readonly<Record<string, string>> = {
  c: 'chain deposit',
  k: 'custody deposit',
  g: 'gateway deposit',
  o: 'card deposit',
  w: 'withdrawal',
}

/** After these the same request may still succeed. */
const TRANSIENT = [
  DATABASE_LOST,
  'SERVICE_DISABLED',
  'CRYPTO_PAYOUT_CHAIN_UNSUPPORTED',
  'RATE_LIMITED',
]

/** Why there is no answer, or the refusal; null when it is acknowledged. */
async function sendWithdrawal(client: Client, asked: Asked): Promise<string | null> {
  try {
    const given = await client.call('createWithdrawal', {
      body: asked.body,
      deadlineMs: DEADLINE_MS,
    })
    const { data } = given
    if (data !== null) {
      if (asked.answer !== null && 'id' in asked.answer) {
        assert.equal(data.id, asked.answer.id, `${asked.externalId}: two withdrawals`)
      }
      asked.answer = data
      return null
    }
    const key = failureOf(given)
    if (!TRANSIENT.includes(key) && !wasNotRead(given)) asked.answer = { refused: key }
    return key
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    return 'cut off'
  }
}
