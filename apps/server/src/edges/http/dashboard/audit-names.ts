// What the audit logs call the persons, accounts, deposits and withdrawals of their entries.
import type { AuditEntry } from '#audit'
import { type Deposit, readDeposits } from '#deposits'
import { findKeysById, readAccountNames } from '#identity'
import type { Queryable } from '#infra/database/db'
import { type Attos, formatDecimal } from '#kernel/decimal'
import { isUuid } from '#kernel/id'
import { withoutSecrets } from '#operations'
import { readWithdrawals } from '#payouts'
import { readPersonEmails } from '#people'
import { readEndpoints } from '#webhooks'

/**
 * Kinds of subjects whose id is that of an account. Entries of before about the oldest endpoint of an account
 * have the account's.
 */
const ACCOUNTS: ReadonlySet<string> = new Set(['account', 'child', 'sub_user', 'webhook_endpoint'])

/**
 * By id: the e-mail addresses of acting and concerned persons, the names of concerned accounts and API keys,
 * the addresses of webhook endpoints, the amounts of deposits and the references of withdrawals.
 */
export async function readAuditNames(
  db: Queryable,
  entries: readonly AuditEntry[],
): Promise<ReadonlyMap<string, string>> {
  const idsOf = (isOf: (type: string) => boolean): string[] => [
    ...new Set(
      entries.flatMap(({ subject: { type, id } }) =>
        isOf(type) && id !== null && isUuid(id) ? [id] : [],
      ),
    ),
  ]
  const actors = entries.map(({ actor }) => actor.id).filter(isUuid)
  const persons = new Set([...actors, ...idsOf((type) => type === 'person')])
  const [emails, names, keys, endpoints, deposits, withdrawals] = await Promise.all([
    readPersonEmails(db, [...persons]),
    readAccountNames(
      db,
      idsOf((type) => ACCOUNTS.has(type)),
    ),
    findKeysById(db, { ids: idsOf((type) => type === 'api_key'), accountId: null }),
    readEndpoints(
      db,
      idsOf((type) => type === 'webhook_endpoint'),
    ),
    readDeposits(
      db,
      idsOf((type) => type === 'deposit'),
    ),
    readWithdrawals(
      db,
      idsOf((type) => type === 'withdrawal'),
    ),
  ])
  return new Map([
    ...names,
    ...emails,
    ...keys.map(({ id, name }) => [id, name] as const),
    ...[...endpoints.values()].map(({ id, url }) => [id, withoutSecrets(url)] as const),
    ...deposits.map((deposit) => [deposit.id, depositName(deposit)] as const),
    ...withdrawals.map(({ id, externalId }) => [id, externalId] as const),
  ])
}

/** What was asked for, or what arrived: `€100.00 by card`, `25.5 USDT`. */
export function depositName({ method, payAmount, received, token }: Deposit): string {
  if (method === 'onramp') {
    return payAmount === null || token === null
      ? 'by card'
      : `${chargeText(payAmount, token)} by card`
  }
  return `${formatDecimal(payAmount ?? received)} ${token ?? ''}`.trim()
}

/** As the pages write what the card was charged. */
const chargeText = (amount: Attos, currency: string): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).format(
    formatDecimal(amount) as `${number}`,
  )
