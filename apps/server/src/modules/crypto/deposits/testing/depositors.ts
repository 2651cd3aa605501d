// Builders for database tests of deposits: accounts, the deps of the module around scripted providers, and a
// round of the worker.
import { randomBytes } from 'node:crypto'
import type { Db, Tx } from '#infra/database/db'
import { sql } from '#infra/database/db'
import { createSecretBox } from '#infra/process/secrets'
import { type Currency, cents } from '#kernel/money'
import { readBalance } from '#ledger'
import type { ManualClock } from '../../../../infra/testing/clock.ts'
import { givenBuyer, givenMerchant } from '../../../trading/buying/testing/buyers.ts'
import { auditDeposits } from '../audit.ts'
import { createCancelDeposit } from '../cancel.ts'
import { createFollowOrders } from '../follow.ts'
import { createGatewayDeposits } from '../gateway.ts'
import { createReceiveNotice } from '../notices.ts'
import { createOnrampDeposits } from '../onramp.ts'
import type { Depositor } from '../open-deposit.ts'
import { findDeposit } from '../store/deposits.ts'
import { scriptedGateway, scriptedOnramp } from './providers.ts'

const EVENTS = sql(
  'test.deposit_events',
  `select type from outbox.event where subject_id = $1 and subject_type = 'deposit' order by id`,
)
const DEBT = sql(
  'test.deposit_debt',
  `select b.posted from ledger.balance b where b.account_id = ledger.account_of($1, 'deposit_debt')`,
)
const DUE_NOW = sql(
  'test.deposits_due',
  'update deposits.provider_order set due_at = $1, leased_until = null where due_at is not null',
)
const FORGET = sql('test.deposits_forgotten', 'update deposits.provider_order set due_at = null')

/** No order of an earlier test is looked at again. */
export const forgetOrders = (db: Db) => db.query(FORGET)

export const context = { requestId: 'test' }

export function givenDeposits(db: Db, clock: ManualClock) {
  const gateway = scriptedGateway(clock.now)
  const onramp = scriptedOnramp()
  const cases: { kind: string; depositId: string }[] = []
  const keepCase = (kind: string, { depositId }: { depositId: string }): void => {
    cases.push({ kind, depositId })
  }
  /** Deposits whose order was missing and is there again. */
  const found: string[] = []
  const deps = {
    ...{ db, clock, gateway, onramp },
    secrets: createSecretBox([randomBytes(32)]),
    currentRate: async () => 1_250_000n,
    onCase: Object.assign(keepCase, {
      within:
        async (_: Tx, ...details: Parameters<typeof keepCase>) =>
        () =>
          keepCase(...details),
    }),
    onOrderFound: (depositId: string) => void found.push(depositId),
    pollMs: 60_000,
    onUnavailable: () => {},
  }
  const gatewayDeposits = createGatewayDeposits(deps)
  const onrampDeposits = createOnrampDeposits(deps)
  const followGateway = createFollowOrders(deps, 'gateway')
  const followOnramp = createFollowOrders(deps, 'onramp')

  return {
    ...{ gateway, onramp, cases, found, deps, gatewayDeposits, onrampDeposits },
    cancel: createCancelDeposit(deps),
    receiveNotice: createReceiveNotice(deps),

    depositor: async (currency: Currency = 'USD'): Promise<Depositor> => {
      const tenantId = await givenMerchant(db)
      const { accountId } = await givenBuyer(db, { tenantId, balance: 0n, currency })
      return { accountId, tenantId, currency }
    },
    /** A gateway deposit of so many US cents that waits for its payment. */
    given: async (who: Depositor, usd = 100_00n, currency: 'USDT' | 'BTC' = 'USDT') => {
      const quote = await gatewayDeposits.quote(who, { usd: cents(usd), currency }, context)
      const chain = currency === 'USDT' ? 'TRX' : 'BTC'
      const { quoteToken } = quote
      const { deposit } = await gatewayDeposits.create(who, { quoteToken, chain }, context)
      return { ...deposit, quoteToken }
    },
    /** Looks at every order once. */
    follow: async (): Promise<void> => {
      await db.query(DUE_NOW, [clock.now()])
      await Promise.all([followGateway(context), followOnramp(context)])
    },
    followDue: () => followGateway(context),
    find: async (id: string) => {
      const deposit = await findDeposit(db, id)
      if (deposit === null) throw new Error('the deposit is gone')
      return deposit
    },
    /** Zero or negative: what the owner owes. */
    debt: async (who: Depositor): Promise<bigint> =>
      (await db.query<{ posted: bigint }>(DEBT, [who.accountId]))[0]?.posted ?? 0n,
    balance: (who: Depositor) => readBalance(db, who.accountId),
    events: async (id: string): Promise<string[]> =>
      (await db.query<{ type: string }>(EVENTS, [id])).map(({ type }) => type),
    audit: () => auditDeposits(db),
  }
}
