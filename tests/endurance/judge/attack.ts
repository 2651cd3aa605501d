// What must be true of a service under attack: between two phases, as far as it can be said while trades go
// on, and in the end for everything. Each check throws with the first contradiction.
import assert from 'node:assert/strict'
import { auditParts } from '../../../apps/server/src/edges/jobs/audit-books.ts'
import { type Db, sql } from '../../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../../apps/server/src/infra/process/clock.ts'
import { createAudit } from '../../../apps/server/src/modules/money/ledger/index.ts'
import { OPEN_BUSINESS } from '../../../apps/server/src/operations/acts/open-business.ts'
import type { Control as SandboxControl } from '../../support/sandbox.ts'
import { TERMINAL } from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import type { Webhooks } from '../../support/webhooks.ts'
import type { Acknowledged } from '../actors/other-tenant.ts'
import { CHAIN, chainAgrees } from './chain.ts'
import { untilDelivered } from './database.ts'

export interface Judge {
  /** The books of the last minutes, and what must never be seen even for a moment. */
  now(): Promise<void>
  /** What chains and suppliers say is what the books say. */
  suppliersAgree(): Promise<void>
  /** Each acknowledged buy has ended, and its events have arrived. */
  otherTenant(tenantId: string, acknowledged: readonly Acknowledged[]): Promise<void>
}

interface JudgeDeps {
  readonly db: Db
  readonly sandboxUrl: string
  readonly sandbox: SandboxControl
  readonly webhooks: Webhooks
}

const CASES_DEADLINE_MS = 90_000

export function createJudge({ db, sandboxUrl, sandbox, webhooks }: JudgeDeps): Judge {
  const ledger = createAudit({ db, clock: systemClock })
  /** Items of which the platform showed that the buyer had them. */
  const delivered = new Set<string>()
  const lookAtOffers = async (): Promise<void> => {
    for (const { customId, state } of await sandbox.offers()) {
      if (customId !== null && DELIVERED.includes(state)) delivered.add(customId)
    }
  }
  return {
    now: async () => {
      // Read while they are fresh: a signature is good for five minutes.
      webhooks.all()
      await lookAtOffers()
      assert.deepEqual(await ledger.recent(), [], 'the new postings')
      assert.deepEqual(await auditLatest(db), [], 'the books of the last minutes')
      assert.deepEqual(await db.query(PAID_AND_REFUNDED), [], 'withdrawals paid and refunded')
    },
    suppliersAgree: async () => {
      await lookAtOffers()
      // An order that a market hid is found by the next comparisons, and its case opened then.
      await until(
        'no item is refunded and delivered without a case',
        async () => {
          const items = await db.query(FREE_GOODS, [[...delivered]])
          if (items.length === 0) return true
          throw new Error(JSON.stringify(items))
        },
        { deadlineMs: CASES_DEADLINE_MS, everyMs: 1000 },
      )
      await chainAgrees(db, `${sandboxUrl}/chains/${CHAIN}/second`)
    },
    otherTenant: (tenantId, acknowledged) =>
      otherTenantIsWhole({ db, webhooks }, { tenantId, acknowledged }),
  }
}

// ---------------------------------------------------------------- the books

const MINUTES_AGO = sql('attack_minutes_ago', "select uuidv7(interval '-5 minutes')::text id")

/** What began in the last minutes, and the sums of what is held in kind. */
async function auditLatest(db: Db): Promise<unknown[]> {
  const [row] = await db.query<{ id: string }>(MINUTES_AGO)
  const violations: unknown[] = []
  for (const { audit, beforeLastDay } of auditParts(OPEN_BUSINESS)) {
    let after: string | null = beforeLastDay === undefined ? null : (row?.id ?? null)
    do {
      const part = await audit(db, after)
      violations.push(...part.violations)
      after = part.next
    } while (after !== null)
  }
  return violations
}

/** States of an offer whose items the buyer has. */
const DELIVERED = ['accepted', 'settled']
const FREE_GOODS = sql(
  'attack_free_goods',
  `select i.id, i.status, i.refunded::int from trades.item i
   where i.id::text = any ($1::text[]) and i.refunded > 0 and i.status <> 'reverted'
     and not exists (select from reconciliation.case_file c where c.item_id = i.id)`,
)
const PAID_AND_REFUNDED = sql(
  'attack_paid_and_refunded',
  `select id, status from payouts.withdrawal
   where confirmed_at is not null and refunded_at is not null
      or status = 'confirmed' and (refunded_at is not null or confirmed_at is null)
      or status = 'refunded' and (confirmed_at is not null or refunded_at is null)`,
)

// ---------------------------------------------------------------- the other tenant

const TRADES_OF = sql(
  'attack_other_tenant_trades',
  `select t.id, t.external_id "externalId", t.status,
     count(i.*) filter (where i.refunded is not null)::int refunds
   from trades.trade t join trades.item i on i.trade_id = t.id
   where t.tenant_id = $1 and t.external_id like 'other-tenant-%' group by t.id`,
)
interface TradeRow {
  readonly id: string
  readonly externalId: string
  readonly status: string
  readonly refunds: number
}
async function otherTenantIsWhole(
  { db, webhooks }: Pick<JudgeDeps, 'db' | 'webhooks'>,
  {
    tenantId,
    acknowledged,
  }: { readonly tenantId: string; readonly acknowledged: readonly Acknowledged[] },
): Promise<void> {
  const trades = await db.query<TradeRow>(TRADES_OF, [tenantId])
  const byId = new Map(trades.map((trade) => [trade.id, trade]))
  for (const { externalId, tradeId } of acknowledged) {
    const trade = byId.get(tradeId)
    assert.equal(trade?.externalId, externalId, `the acknowledged trade ${tradeId}`)
    assert.ok(TERMINAL.includes(trade?.status ?? ''), `${externalId} is ${trade?.status}`)
  }
  assert.equal(trades.length, acknowledged.length, 'a trade for each acknowledged buy')
  await untilDelivered(db, tenantId)
  const received = Map.groupBy(webhooks.all(), ({ data }) => data.trade?.id)
  for (const { id, externalId, status, refunds } of trades) {
    const types = (received.get(id) ?? []).map(({ type }) => type)
    for (const type of ['trade.initiated', `trade.${status}`]) {
      assert.ok(types.includes(type), `${externalId} has no ${type}: ${types.join(' ')}`)
    }
    const refunded = types.filter((type) => type === 'trade.refunded').length
    assert.equal(refunded, refunds, `refunds of ${externalId}: ${types.join(' ')}`)
  }
}
