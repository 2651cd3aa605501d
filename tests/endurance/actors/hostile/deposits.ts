// Deposits as a hostile merchant makes them: one quote used several times at once, orders that are paid in
// part, too much and twice, canceled and ended while they are paid, cards that fail, dust on a chain, and
// notices that the attacker writes itself. What is credited must never exceed what was really paid.

import assert from 'node:assert/strict'
import { type Db, sql } from '../../../../apps/server/src/infra/database/db.ts'
import { pickWith } from '../../dice.ts'
import { CHAIN } from '../../judge/chain.ts'
import type { MerchantAttackDeps } from './deps.ts'
import { assertServed } from './tally.ts'

interface GatewayView {
  readonly payments: readonly { readonly amount: string }[]
}

interface Paid {
  readonly id: string
  /** USDT that arrived, in cents; the gateway takes a fee of it. */
  cents: number
}

const CREDITED = sql(
  'attack_credited',
  'select id, (credited - reversed)::int cents from deposits.deposit where id = any ($1::uuid[])',
)

export interface Deposits {
  step(): Promise<void>
  /** Throws when more was credited than was paid. */
  judge(): Promise<void>
}

const AMOUNTS = ['4.99', '5.00', '17.31', '400.00', '25000.00', '25000.01', '0.01', '99999999.99']
const CARD_AMOUNTS = ['19.99', '20.00', '250.00', '10000.00', '10000.01']
const PROVIDERS = ['gateway', 'onramp', 'chat', 'market_a', '..%2f', 'x'.repeat(40)]
const CREATES = 3
const REMEMBERED = 2000

interface DepositsDeps extends MerchantAttackDeps {
  readonly db: Db
  readonly userNames: readonly string[]
}

export function createDeposits(deps: DepositsDeps): Deposits {
  const { db, userNames, tally, throwDice } = deps
  const pick = pickWith(throwDice)
  const paid: Paid[] = []
  const works = [payGateway, payGateway, payCard, payChain, forgeNotice]
  return {
    step: async () => {
      const behalf = pick(userNames)
      await pick(works)({ ...deps, behalf, paid })
      if (paid.length > REMEMBERED) paid.shift()
    },
    judge: async () => {
      const rows = await db.query<{ id: string; cents: number }>(CREDITED, [
        paid.map(({ id }) => id),
      ])
      const credited = new Map(rows.map(({ id, cents }) => [id, cents]))
      for (const { id, cents } of paid) {
        const booked = credited.get(id)
        assert.ok(booked !== undefined, `the deposit ${id} is kept`)
        assert.ok(booked <= cents, `${id}: ${booked} cents credited, ${cents} paid`)
      }
      tally.count('deposits compared with their payments', paid.length)
    },
  }
}

type Work = (deps: DepositsDeps & { behalf: string; paid: Paid[] }) => Promise<void>

const payGateway: Work = async ({ merchant, control, tally, throwDice, behalf, paid }) => {
  const pick = pickWith(throwDice)
  const currency = pick(['USDT', 'USDT', 'USDC', 'BTC'])
  const quoted = await merchant.call('quoteDeposit', {
    behalf,
    body: { amount: pick(AMOUNTS), currency },
  })
  const { data: quote } = tally.served('deposit quotes', quoted)
  const listed = await merchant.call('listDepositChains', { behalf })
  const { data: known } = tally.served('deposit chains', listed)
  const chain = known?.currencies.find((one) => one.currency === currency)?.chains[0]
  if (!quote || chain === undefined) return
  const body = { quoteToken: quote.quoteToken, chain }
  const created = await Promise.all(
    Array.from({ length: CREATES }, () => merchant.call('createDeposit', { behalf, body })),
  )
  for (const answer of created) tally.served('deposit creates', answer)
  const ids = [...new Set(created.flatMap(({ data }) => data?.fundingId ?? []))]
  assert.ok(ids.length <= 1, `one quote made ${ids.length} deposits`)
  const [id] = ids
  if (id === undefined) return
  const deposit: Paid = { id, cents: 0 }
  const pay = async (amount: string): Promise<void> => {
    const { payments } = await control<GatewayView>('POST', `/gateway/${id}/pay`, { amount })
    const units = payments.reduce((sum, payment) => sum + Number(payment.amount), 0)
    deposit.cents = Math.max(deposit.cents, Math.ceil(units * 100))
  }
  const whole = quote.payAmountToken
  const half = (Number(whole) / 2).toFixed(2)
  const moves = [
    () => pay(whole),
    () => pay(half),
    () => pay('0.01'),
    () => pay('60000'),
    () => control('POST', `/gateway/${id}/expire`),
    () => control('POST', `/gateway/${id}/refund`, { amount: '0.01', state: 'refunded' }),
    async () => {
      const canceled = await merchant.call('cancelDeposit', { behalf, params: { id } })
      tally.served('deposit cancels', canceled)
    },
  ]
  const chosen = moves.filter(() => throwDice() < 0.4)
  const ends = await Promise.allSettled(chosen.map((move) => move()))
  // The gateway refuses what its order does not allow any more; a broken promise of the service is raised.
  for (const end of ends) {
    if (end.status === 'rejected' && end.reason instanceof assert.AssertionError) throw end.reason
  }
  if (currency === 'USDT') paid.push(deposit)
}

const payCard: Work = async ({ merchant, control, tally, throwDice, behalf }) => {
  const pick = pickWith(throwDice)
  const body = { payAmount: pick(CARD_AMOUNTS), payCurrency: pick(['USD', 'EUR', 'GBP']) }
  const quoted = await merchant.call('quoteOnramp', { behalf, body })
  const { data: quote } = tally.served('card quotes', quoted)
  if (!quote) return
  const created = await Promise.all(
    Array.from({ length: CREATES }, () =>
      merchant.call('createOnramp', { behalf, body: { quoteToken: quote.quoteToken } }),
    ),
  )
  for (const answer of created) tally.served('card creates', answer)
  const ids = [...new Set(created.flatMap(({ data }) => data?.fundingId ?? []))]
  assert.ok(ids.length <= 1, `one card quote made ${ids.length} deposits`)
  const [id] = ids
  if (id === undefined) return
  const complete = (): Promise<unknown> => control('POST', `/onramp/${id}/complete`, {})
  const fail = (): Promise<unknown> =>
    control('POST', `/onramp/${id}/fail`, { reason: pick(['name_mismatch', 'abandoned']) })
  const ends = throwDice() < 0.5 ? [complete, complete] : [fail, complete]
  await Promise.allSettled(ends.map((end) => end()))
}

const payChain: Work = async ({ merchant, control, tally, throwDice, behalf }) => {
  const pick = pickWith(throwDice)
  const answer = await merchant.call('getCryptoAddress', { behalf })
  const { data } = tally.served('deposit addresses', answer)
  if (!data) return
  const token = pick(['USDT', 'USDC', 'NATIVE'])
  const amount = pick(['0.000001', '0.99', '1.00', '12.345678'])
  // The node may be away, by the same attacker's hand.
  await control('POST', `/chains/${CHAIN}/faucet`, {
    ...{ address: data.address, token },
    amount: token === 'NATIVE' ? '0.001' : amount,
  }).catch(() => tally.count('chain payments that failed'))
  tally.count('chain payments')
}

/** A notice of the attacker's own: its signature is wrong, or it is no notice at all. */
const forgeNotice: Work = async ({ merchant, tally, throwDice, paid }) => {
  const pick = pickWith(throwDice)
  const provider = pick(PROVIDERS)
  const id = paid.at(-1)?.id.replaceAll('-', '') ?? 'none'
  const bodies = [
    JSON.stringify({ bizType: 'PAY', bizId: id, bizStatus: 'PAY_SUCCESS', data: '{}' }),
    JSON.stringify({ eventType: 'order', merchantRecognitionId: id, status: 4 }),
    '{"data":',
    'null',
    `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    'x'.repeat(300_000),
  ]
  const response = await fetch(`${merchant.baseUrl}/inbound/${provider}`, {
    method: 'POST',
    headers: {
      'content-type': pick(['application/json', 'text/plain', 'application/json; charset=utf-16']),
      'x-gatepay-timestamp': String(Date.now()),
      'x-gatepay-nonce': '1',
      'x-gatepay-signature': 'f'.repeat(128),
      'x-onramp-signature': 'f'.repeat(128),
    },
    body: pick(bodies),
    signal: AbortSignal.timeout(15_000),
  })
  const { success, error } = (await response.json()) as {
    readonly success: boolean
    readonly error?: { readonly key: string }
  }
  assertServed('a forged notice', { status: response.status, error: error ?? null })
  assert.equal(success, false, `a forged notice of ${provider} is refused`)
  tally.count(`forged notices: ${error?.key}`)
}
