// Sixty thousand orders in nine days at each market: how long it takes until the whole statement was
// compared, and what memory that needs.

import { flagsOf } from '../../tests/support/node-flags.ts'
import { accountsSql } from '../installation/accounts.ts'
import { auditBooks, ORIGINAL, readRows, runScript } from '../installation/installation.ts'
import { seedTrades } from '../installation/trades.ts'
import { startHelper } from '../ipc.ts'
import { forgetPeakOf, memoryOf } from '../machine.ts'
import type { ReconcileMethods } from '../servers/reconcile.ts'
import type { StatedOrder, StatementsMethods } from '../servers/statements.ts'
import type { Line, RunRow } from './row.ts'

const NAME = 'bench_statements'
const ORDERS = { quick: 12_000, full: 120_000 }
const BUYERS = 2000
const DAYS = 9
/** 200 pages of fifty are read in one go at market B. */
const MOST_READS = 40
const AIMS = { ms: 600_000, moreMb: 150 }
const MARKETS = ['market_a', 'market_b'] as const
/** What the markets' documents allow, for the note alone: the pace of a bench is that of the machine. */
const CALLS_A_MINUTE = { market_a: 300, market_b: 60 }

export const runStatements: RunRow = async ({ installation, isQuick, say }) => {
  const count = isQuick ? ORDERS.quick : ORDERS.full
  const url = await installation.clone(ORIGINAL, NAME)
  const servers = `${import.meta.dirname}/../servers`
  const markets = startHelper<StatementsMethods>(`${servers}/statements.ts`)
  const ours = startHelper<ReconcileMethods>(`${servers}/reconcile.ts`, {
    profileFolder: installation.profileFolder,
    nodeFlags: flagsOf('worker'),
  })
  try {
    say(`writing ${count.toLocaleString('en')} orders`)
    await runScript(url, accountsSql({ kind: 'sub_user', below: 'merchant', count: BUYERS }))
    // Half a day less: what is older than the window is in no statement.
    const everySeconds = ((DAYS - 0.5) * 86_400) / count
    await seedTrades(url, { count, say, buyers: BUYERS, everySeconds })
    await runScript(url, PLACED, 'vacuum analyze buying.supplier_order')
    await markets.call('state', await readRows<StatedOrder>(url, STATED))
    const marketsUrl = `http://127.0.0.1:${await markets.call('listen')}`
    await ours.call('open', { databaseUrl: url })
    const lines: Line[] = []
    for (const market of MARKETS) {
      for (const which of ['first', 'next'] as const) {
        const before = memoryOf(ours.pid).residentMb
        forgetPeakOf(ours.pid)
        const asked = { market, marketsUrl, mostReads: MOST_READS }
        const whole = await ours.call('whole', asked)
        const moreMb = memoryOf(ours.pid).peakMb - before
        const calls = (await markets.call('calls'))[market]
        if (whole.findings > 0) throw new Error(`${whole.findings} findings where nothing is wrong`)
        const minutes = (calls / CALLS_A_MINUTE[market]).toFixed(1)
        lines.push({
          path: `${which} whole statement of ${market} compared, ${whole.lines.toLocaleString('en')} orders`,
          ours: `${(whole.ms / 1000).toFixed(1)} s, ${Math.max(0, Math.round(moreMb))} MB more`,
          peer: '',
          ratio: '',
          aim: `≤ ${AIMS.ms / 60_000} min, ≤ ${AIMS.moreMb} MB more`,
          reached: whole.ms <= AIMS.ms && moreMb <= AIMS.moreMb && whole.lines > count * 0.4,
          scatter: null,
          note: `${whole.reads} reads, ${calls} calls: ${minutes} min at what the market allows in all`,
          rounds: null,
        })
      }
    }
    await auditBooks(url)
    return lines
  } finally {
    await Promise.all([markets.stop(), ours.stop()])
    await installation.drop(NAME)
  }
}

/** Every one was placed, was not delivered, and was paid back. A statement of before had none of them. */
const PLACED = `
  delete from reconciliation.statement_line; delete from reconciliation.statement_run;
  insert into buying.supplier_order (item_id, market, custom_id, state, sent_at, order_id, paid_mills, undone_at)
  select id, market, id::text, 'placed', created_at, (30000000 + row_number() over (order by created_at, id))::text,
    sourcing_mills, created_at + interval '5 minutes'
  from buying.item`

const STATED = `
  select o.market, o.custom_id "customId", o.order_id "orderId", o.paid_mills::int mills,
    (extract(epoch from o.sent_at) * 1000)::float8 "placedAtMs"
  from buying.supplier_order o order by o.order_id::bigint desc`
