// A merchant's own account: the operations that its keys and its people share.
import { createRateReader } from '#fx'
import { getSubUser } from '#identity'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import { CLOSE_BUSINESS, OPEN_BUSINESS } from '#operations'
import type { EventWatch } from '#outbox'
import { readFigures } from '#trades'
import { createAccountOperations } from '../../edges/http/merchant/account/account.ts'
import { createEventOperations, type EventDeps } from '../../edges/http/merchant/events/events.ts'
import { createFundOperations } from '../../edges/http/merchant/fund/fund.ts'
import { createKeyOperation } from '../../edges/http/merchant/key/key.ts'
import { createLedgerOperations } from '../../edges/http/merchant/ledgers/ledgers.ts'
import { createRestoresOperation } from '../../edges/http/merchant/restores/restores.ts'
import { createStatementOperation } from '../../edges/http/merchant/statements/statements.ts'
import { createStatsOperation } from '../../edges/http/merchant/stats/stats.ts'
import { createTradesOperations } from '../../edges/http/merchant/trades/trades.ts'
import { createUsersOperations } from '../../edges/http/merchant/users/users.ts'
import type { Config } from '../config.ts'
import type { Resources } from '../resources.ts'
import { conversionTerms } from './conversion-terms.ts'

/** What it needs of the process. */
export type AccountResources = Pick<Resources, 'db' | 'clock'> & {
  readonly config: Pick<Config, 'conversions'>
}

export interface AccountParts {
  readonly heavyReads: HeavyReads
  readonly watch: EventWatch
  readonly renderEvents: EventDeps['renderEvents']
  readonly globalDefaultFeeBps: () => Promise<number>
}

/** Reads of the account. */
export const createAccountReads = (
  { config, db, clock }: AccountResources,
  { heavyReads, watch, renderEvents, globalDefaultFeeBps }: AccountParts,
) => ({
  ...createAccountOperations({
    db,
    globalDefaultFeeBps,
    fxSpreadBps: config.conversions.spreadBps,
  }),
  getKey: createKeyOperation({ db, clock }),
  getMerchantStats: createStatsOperation({ heavyReads, readFigures }),
  listRestores: createRestoresOperation({ heavyReads }),
  getStatement: createStatementOperation({ db, heavyReads, clock }),
  ...createLedgerOperations({ db, heavyReads }),
  ...createTradesOperations({
    db,
    heavyReads,
    findSubUserId: async (merchantId, reference) =>
      (await getSubUser(db, merchantId, reference)).id,
  }),
  ...createEventOperations({ db, heavyReads, clock, watch, renderEvents }),
})

/** Sub-users, and the money that moves to and from them; on the database that is given. */
export const createAccountWrites = (
  { config, clock }: Omit<AccountResources, 'db'>,
  { db, heavyReads }: { readonly db: Db; readonly heavyReads: HeavyReads },
) => ({
  ...createUsersOperations({
    ...{ db, heavyReads, clock },
    ...{ openBusiness: OPEN_BUSINESS, closeBusiness: CLOSE_BUSINESS },
  }),
  ...createFundOperations({
    ...{ db, clock, conversions: conversionTerms(config) },
    currentRate: createRateReader({ db, clock }),
  }),
})
