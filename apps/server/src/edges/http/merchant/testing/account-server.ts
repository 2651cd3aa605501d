// The account routes over real HTTP on a real database, with real keys. The game platform is outside: it
// answers as the test says.
import { readTradeUrl } from '@tradepost/contract'
import { createRateReader } from '#fx'
import { createTradeUrlResolver } from '#identity'
import type { Db } from '#infra/database/db'
import { createHeavyReads } from '#infra/database/heavy-reads'
import { cents } from '#kernel/money'
import { createGlobalDefaultReader } from '#pricing'
import { findAccountsWithOpenTrades, readFigures } from '#trades'
import { type ManualClock, manualClock } from '../../../../infra/testing/clock.ts'
import { createAccountOperations } from '../account/account.ts'
import { createFundOperations } from '../fund/fund.ts'
import { createKeyOperation } from '../key/key.ts'
import { createLedgerOperations } from '../ledgers/ledgers.ts'
import { createRestoresOperation } from '../restores/restores.ts'
import { createStatementOperation } from '../statements/statements.ts'
import { createStatsOperation } from '../stats/stats.ts'
import { createTradeUrlsOperations } from '../trade-urls/trade-urls.ts'
import { createUsersOperations } from '../users/users.ts'
import {
  HOST,
  type MerchantServer,
  type PlatformDouble,
  platformDouble,
  START,
  startMerchantServer,
} from './merchant-server.ts'

export interface AccountServer extends MerchantServer {
  readonly clock: ManualClock
  readonly platform: PlatformDouble
}

export async function startAccountServer(db: Db): Promise<AccountServer> {
  const clock = manualClock(START)
  const platform = platformDouble()
  const resolveTradeUrl = createTradeUrlResolver({
    ...{ platform, clock },
    readTradeUrl: (text) => readTradeUrl(text, HOST),
  })
  const heavyReads = createHeavyReads({ db, atOnce: 2, waiting: 8, waitMs: 10_000 })
  const globalDefaultFeeBps = createGlobalDefaultReader({ db, clock })
  const operations = {
    ...createAccountOperations({ db, globalDefaultFeeBps, fxSpreadBps: 50 }),
    getKey: createKeyOperation({ db, clock }),
    getMerchantStats: createStatsOperation({ heavyReads, readFigures }),
    listRestores: createRestoresOperation({ heavyReads }),
    getStatement: createStatementOperation({ db, heavyReads, clock }),
    ...createUsersOperations({
      ...{ db, heavyReads, clock },
      ...{ openBusiness: [findAccountsWithOpenTrades], closeBusiness: [] },
    }),
    ...createFundOperations({
      db,
      clock,
      currentRate: createRateReader({ db, clock }),
      conversions: { spreadBps: 50, exposureLimit: cents(100_000n), exposureSharePercent: 50 },
    }),
    ...createLedgerOperations({ db, heavyReads }),
    ...createTradeUrlsOperations({ db, clock, resolveTradeUrl }),
  }
  const server = await startMerchantServer({ db, clock, operations })
  return { ...server, clock, platform }
}
