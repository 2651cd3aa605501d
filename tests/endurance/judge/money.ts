// The verdict: what the chains and the providers say is what the books say. Each function throws with the
// first contradiction; the invariants I1 to I7 are named where they are checked.
import assert from 'node:assert/strict'
import { createEvmChain } from '../../../apps/server/src/adapters/evm/index.ts'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import { createHttpClient } from '../../../apps/server/src/infra/http/http-client.ts'
import { systemClock } from '../../../apps/server/src/infra/process/clock.ts'
import { silentLog } from '../../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../../apps/server/src/infra/process/metrics.ts'
import { reconcileChain } from '../../../apps/server/src/modules/crypto/chains/index.ts'
import { type Canonical, readCanonical } from '../../support/chains/canonical.ts'
import {
  type AskedFor,
  creditedOnce,
  cursorsCanonical,
  eventsOnce,
  noncesContiguous,
  withdrawalsEnded,
} from '../../support/chains/invariants.ts'
import { balanceOf, centsOf } from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import { type Payers, START_CENTS } from '../actors/payers.ts'
import { CHAINS, type ChainName, type MoneyStack } from '../worlds/money.ts'
import { auditAll, untilDelivered, untilNoCaseIsOpen } from './database.ts'

export interface Verdict {
  readonly credited: number
  readonly refills: number
  readonly orders: number
  readonly ends: ReadonlyMap<string, number>
  readonly transactions: number
  readonly attempts: number
  readonly events: number
}

export async function judge(
  stack: MoneyStack,
  payers: Payers,
  say: (text: string) => void,
): Promise<Verdict> {
  await booksEqualChains(stack)
  say('the books equal the chains')
  const views = new Map<ChainName, Canonical>()
  for (const chain of CHAINS) {
    views.set(chain, await readCanonical(`${stack.sandbox.url}/chains/${chain}/second`, chain))
  }
  const transfers = await creditedOnce(stack.db, views)
  say('every canonical transfer is credited exactly once')
  await ordersCredited(stack, payers)
  await walletsAreTheirDeposits(stack, payers)
  say('every wallet is what was deposited into it')
  const ends = await withdrawalsEnded(stack.db, askedFor(stack, payers), views)
  say('every withdrawal is confirmed and paid once, or refunded and not paid')
  // A sweep may begin while the rest is judged: it is on its chain some blocks later.
  const sent = await until(
    'every transaction is on its chain, and nonces are contiguous',
    () => noncesContiguous(stack.db, views),
    { everyMs: 1000 },
  )
  await cursorsCanonical(stack.db, views)
  await eventsOnce(stack.db)
  const events = await untilDelivered(stack.db)
  say('nonces are contiguous, cursors canonical, events delivered once')
  await auditAll(stack.postgres.url)
  await untilNoCaseIsOpen(stack.db)
  say('the audit of the books is clean, and no case is open')
  return { ...transfers, ...sent, ends, events, orders: payers.orders.length }
}

const askedFor = ({ isRejected }: MoneyStack, { withdrawals }: Payers): AskedFor[] =>
  withdrawals.map(({ externalId, destination, answer }) => {
    const id = answer !== null && 'id' in answer ? answer.id : null
    return { externalId, destination, id, isRejected: id !== null && isRejected(id) }
  })

// ---------------------------------------------------------------- I5: chains and books

async function booksEqualChains({ sandbox, db }: MoneyStack): Promise<void> {
  const http = createHttpClient({ log: silentLog, metrics: createMetrics() })
  try {
    for (const chain of CHAINS) {
      const { node, broadcast } = createEvmChain({
        ...{ chain, http, clock: systemClock, log: silentLog },
        rpcUrls: [`${sandbox.url}/chains/${chain}/second`],
        secondRpcUrls: [],
      })
      await until(
        `the books equal ${chain}`,
        async () => {
          const result = await reconcileChain({ db, node, broadcast, treasury: null })
          if (result.kind !== 'compared') throw new Error(result.kind)
          const { differences, shortfalls } = result
          if (differences.length + shortfalls.length === 0) return true
          throw new Error(
            JSON.stringify({ differences, shortfalls }, (_key, value) =>
              typeof value === 'bigint' ? value.toString() : value,
            ),
          )
        },
        { deadlineMs: 60_000, everyMs: 1000 },
      )
    }
  } finally {
    await http.close()
  }
}

// ---------------------------------------------------------------- providers and wallets

async function ordersCredited({ merchant }: MoneyStack, { orders }: Payers): Promise<void> {
  for (const { id, behalf, promisedCents, method } of orders) {
    const deposit = await merchant.get('getDeposit', { behalf, params: { id } })
    assert.equal(deposit.status, 'completed', `${method} ${id}`)
    assert.equal(centsOf(deposit.creditedAmount ?? 0), promisedCents, `${method} ${id}`)
  }
}

const DEPOSITED = sql(
  'soak_deposited',
  `select a.external_id name, coalesce(sum(d.credited - d.reversed), 0)::int cents
   from identity.account a join deposits.deposit d on d.account_id = a.id where a.external_id is not null group by 1`,
)

async function walletsAreTheirDeposits(
  { merchant, db }: MoneyStack,
  { users }: Payers,
): Promise<void> {
  const rows = await db.query<{ name: string; cents: number }>(DEPOSITED)
  for (const { name } of users) {
    const cents = rows.find((row) => row.name === name)?.cents ?? 0
    assert.equal(centsOf(await balanceOf(merchant, name)), START_CENTS + cents, name)
  }
}
