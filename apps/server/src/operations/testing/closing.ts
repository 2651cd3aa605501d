// Accounts of each kind, and what closes them, for tests.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Actor } from '#audit'
import { accountRefusal, createChild, createPartner } from '#identity'
import { sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { Refusal } from '#kernel/refusal'
import { CLOSE_BUSINESS, closeMerchantAccount, deleteAccount, OPEN_BUSINESS } from '#operations'
import { manualClock } from '../../infra/testing/clock.ts'
import { testDatabase } from '../../infra/testing/database.ts'
import { aMerchant, aSubUser } from '../../modules/accounts/identity/testing/accounts.ts'
import { givenDeposits } from '../../modules/crypto/deposits/testing/depositors.ts'

const database = await testDatabase({ poolSize: 20 })
after(() => database.close())
export const { db } = database
export const clock = manualClock()
const at = clock.now()
export const deposits = givenDeposits(db, clock)
/** Two administrators. */
export const ada: Actor = { kind: 'administrator', id: newId(), request: {} }
export const eve: Actor = { kind: 'administrator', id: newId(), request: {} }

const INSERT_OWNER = sql(
  'test.insert_owner',
  `with person as (insert into people.person (id, email, password_hash, password_changed_at, email_verified_at,
       created_at, updated_at) values ($1::uuid, $1::uuid || '@people.example', 'x', $3, $3, $3, $3))
   insert into people.membership (person_id, account_id, account_kind, role, created_at)
   values ($1, $2, 'merchant', 'owner', $3)`,
)

export interface Given {
  readonly merchantId: string
  readonly userId: string
  readonly partnerId: string
  readonly childId: string
  /** A member of the merchant. */
  readonly owner: Actor
}

export async function given(): Promise<Given> {
  const { id: merchantId } = await aMerchant(db)
  const { id: userId } = await aSubUser(db, merchantId)
  const email = `${newId()}@example.com`
  const fees = { feeBps: 300, buyFeeBps: 200 }
  const { id: partnerId } = await db.transaction((tx) =>
    createPartner(tx, { email, name: 'A partner', fees, at }),
  )
  const wanted = {
    partnerId,
    email,
    name: null,
    description: null,
    environment: 'test',
    at,
  } as const
  const { child } = await db.transaction((tx) => createChild(tx, wanted))
  const ownerId = newId()
  await db.query(INSERT_OWNER, [ownerId, merchantId, at])
  const right = { accountId: merchantId, capability: 'members.write' }
  const owner = { kind: 'member', id: ownerId, request: {}, right } as const
  return { merchantId, userId, partnerId, childId: child.id, owner }
}

export type Closed = 'merchant' | 'sub_user' | 'child'

export const accountOf = ({ merchantId, userId, childId }: Given, below: Closed): string =>
  ({ merchant: merchantId, sub_user: userId, child: childId })[below]

export const close = (all: Given, below: Closed, onLocked = async () => {}): Promise<void> => {
  const openBusiness = [() => onLocked().then(() => []), ...OPEN_BUSINESS]
  const deps = { db, clock, openBusiness, closeBusiness: CLOSE_BUSINESS }
  const accountId = accountOf(all, below)
  return below === 'merchant'
    ? closeMerchantAccount(deps, all.owner, { accountId })
    : deleteAccount(deps, ada, { accountId, reason: 'a test' })
}

/** What is open or has money on the account `$1` or below it, once it is closed. */
export const LEFT = sql(
  'test.left_below_closed',
  `with closed as (select id from identity.account where id = $1 and status = 'deleted')
   select 'sub-user' what from identity.account a where a.parent_id in (table closed) and a.status <> 'deleted'
   union all select 'key' from identity.api_key k where k.account_id in (table closed) and k.status <> 'revoked'
   union all select 'trade URL' from identity.trade_url u where u.account_id in (table closed)
   union all select 'member' from people.membership m where m.account_id in (table closed) and m.ended_at is null
   union all select 'invitation' from people.invitation i
     where i.account_id in (table closed) and i.accepted_at is null and i.revoked_at is null
   union all select 'trade' from trades.trade t where t.account_id in (table closed) and t.status < 'completed'
   union all select 'deposit' from deposits.deposit d where d.account_id in (table closed) and d.is_listed and d.status = 'initiated'
   union all select 'money' from closed c where ledger.has_money(c.id)`,
)

const BEGIN_TRADE = sql(
  'test.begin_trade',
  `select trades.begin_or_replay($1, $2, $3, '76561197960265729', 'u', null, '\\x00', 'cs2', 'USD', null, $4, $5, 1, 100)`,
)
export const aTrade = (type: 'buy' | 'sell', tenantId: string, accountId: string) =>
  db.query(BEGIN_TRADE, [type, tenantId, accountId, newId(), at]).catch((error) => {
    throw accountRefusal(error) ?? error
  })

export const refused =
  (key: string) =>
  (error: unknown): true => {
    assert.ok(error instanceof Refusal, String(error))
    assert.equal(error.key, key)
    return true
  }
