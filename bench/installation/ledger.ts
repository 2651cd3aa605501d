// Rows of the demo merchant's own wallet by the million, written as sets: deposits of one amount. The books
// pass their audit.
import type { Say } from '../rounds.ts'
import { runScript, withClient } from './installation.ts'

const CHUNK = 100_000
const AMOUNT_CENTS = 1234

export interface SeededLedger {
  readonly merchantId: string
  /** With those that were there before. */
  readonly rows: number
}

export async function seedLedger(
  url: string,
  { count, say }: { readonly count: number; readonly say: Say },
): Promise<SeededLedger> {
  const seeded = await withClient(url, async (client) => {
    // Triggers would write balances one posting at a time; the audit at the end of the row compares.
    await client.query('set session_replication_role = replica; set synchronous_commit = off')
    const { rows } = await client.query<{ owner_id: string; seq: string }>(MERCHANT)
    const [merchant] = rows
    if (merchant === undefined) throw new Error('there is no merchant')
    for (let from = 0; from < count; from += CHUNK) {
      const to = Math.min(count, from + CHUNK)
      await client.query(chunkSql(merchant.owner_id, from, to))
      if (count > CHUNK) say(`${to.toLocaleString('en')} ledger rows are written`)
    }
    return { merchantId: merchant.owner_id, rows: Number(merchant.seq) + count }
  })
  await runScript(url, 'checkpoint', 'vacuum analyze')
  return seeded
}

const MERCHANT = `
  select a.owner_id, b.seq from ledger.account a join ledger.balance b on b.account_id = a.id
  where a.kind = 'spot' and a.owner_id =
    (select id from identity.account where kind = 'merchant' order by created_at limit 1)`

const chunkSql = (merchantId: string, from: number, to: number): string => `
  begin;
  create temp table drawn on commit drop as
    select n, uuidv7() id, b.account_id, b.posted, b.seq, now() - interval '1 second' * (2000000 - ${from} - n) as at
    from generate_series(1, ${to - from}) n, ledger.balance b
    where b.account_id = ledger.account_of('${merchantId}', 'spot');
  insert into ledger.journal (id, kind, scope_id, idempotency_key, request_hash, created_at)
    select id, 'deposit', '${merchantId}', 'bench-ledger-' || ${from} + n, '\\x00', at from drawn order by n;
  insert into ledger.posting (journal_id, kind, currency, debit_account_id, credit_account_id, amount,
      credit_seq, credit_after, external_ref, created_at)
    select id, 'deposit', 'USD', ledger.house('clearing_demo', 'USD'), account_id, ${AMOUNT_CENTS},
      seq + n, posted + n * ${AMOUNT_CENTS}, 'bench-' || ${from} + n, at from drawn order by n;
  update ledger.balance b set posted = b.posted + ${(to - from) * AMOUNT_CENTS}, seq = b.seq + ${to - from}
    where b.account_id = ledger.account_of('${merchantId}', 'spot');
  commit`
