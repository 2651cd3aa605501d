// The past of a hostile merchant, written by SQL: users and so many trades that lists, figures and exports of
// them are dear. The books pass their audits with it.
import { accountsSql } from '../../../bench/installation/accounts.ts'
import { runScript } from '../../../bench/installation/installation.ts'
import { seedTrades } from '../../../bench/installation/trades.ts'

const USERS = 200
/** Half a million trades are of two months then, which most figures keep as sums of days. */
const SECONDS_BETWEEN = 10

/** The users are called `bench-00001` and so on. The catalogue must be there; the service must not run. */
export async function writeHistory(
  url: string,
  {
    merchantId,
    trades,
    say,
  }: { readonly merchantId: string; readonly trades: number; readonly say: (text: string) => void },
): Promise<readonly string[]> {
  await runScript(url, accountsSql({ kind: 'sub_user', parentId: merchantId, count: USERS }))
  if (trades > 0) {
    await seedTrades(url, { count: trades, buyers: USERS, everySeconds: SECONDS_BETWEEN, say })
  }
  return Array.from({ length: USERS }, (_, i) => `bench-${String(i + 1).padStart(5, '0')}`)
}
