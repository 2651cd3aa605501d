// GET /v1/user, /v1/user/fees and /v1/user/ledger: the account of the key.
import { partnerRoutes } from '@tradepost/contract'
import { readFirstKeys } from '#identity'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import { readBalance, statement } from '#ledger'
import { findOwner } from '#people'
import { readWithdrawFeeBps } from '#pricing'
import { statementView } from '#wire/merchant/statement'
import { feesView, ledgerRowView, profileView, rowsShownAs } from '#wire/partner/account'
import { createStatements } from '../../shared/statements.ts'
import { DONE, operation, type PartnerOperations } from '../operation.ts'

export interface AccountDeps {
  readonly db: Db
  readonly heavyReads: HeavyReads
  readonly clock: Clock
}

export function createAccountOperations({
  db,
  heavyReads,
  clock,
}: AccountDeps): Pick<PartnerOperations, 'getProfile' | 'getFees' | 'listLedger' | 'getStatement'> {
  const readStatement = createStatements({ heavyReads, clock })
  const keyOf = async (accountId: string): Promise<string> =>
    assertDefined((await readFirstKeys(db, [accountId])).get(accountId), 'first key of an account')
  return {
    getProfile: operation(partnerRoutes.getProfile, async ({ caller: { account } }) => {
      const [keyId, balance, owner] = await Promise.all([
        keyOf(account.id),
        readBalance(db, account.id),
        findOwner(db, account.id),
      ])
      return profileView({ keyId, balance, owner }, DONE)
    }),

    getFees: operation(partnerRoutes.getFees, async ({ caller: { account } }) => {
      const [withdrawFeeBps, partnerKeyId] = await Promise.all([
        readWithdrawFeeBps(db),
        keyOf(account.partnerId),
      ])
      return feesView(account.fees, { withdrawFeeBps, partnerKeyId }, DONE)
    }),

    listLedger: operation(partnerRoutes.listLedger, async ({ caller: { account }, query }) => {
      const { page, limit, type } = query
      const shown = type === undefined ? null : type.split(',').flatMap(rowsShownAs)
      const read = (from: Db) => statement(from, account.id, { page, limit, shown })
      // A filter walks through all rows of the wallet.
      const { total, rows } = await (shown === null
        ? read(db)
        : heavyReads.run(account.partnerId, read))
      return { page, limit, total, items: rows.map(ledgerRowView), message: DONE }
    }),

    getStatement: operation(partnerRoutes.getStatement, async ({ caller: { account }, query }) => {
      const asked = { tenantId: account.partnerId, ownerId: account.id, month: query.month }
      return { ...statementView(await readStatement(asked)), message: DONE }
    }),
  }
}
