// What an account still has, owes or waits for keeps it from being closed; what a provider takes back
// afterwards is no debt of it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { type Cents, cents } from '#kernel/money'
import { approveAdjustment, proposeAdjustment } from '#operations'
import { until } from '../../infra/testing/until.ts'
import { WAITING } from '../../infra/testing/waiting.ts'
import { aSubUser } from '../../modules/accounts/identity/testing/accounts.ts'
import {
  ada,
  aTrade,
  clock,
  close,
  db,
  deposits,
  eve,
  given,
  LEFT,
  refused,
} from '../testing/closing.ts'

const CREDITED = cents(99_00n)
const adjust = async (accountId: string, side: 'credit' | 'debit', amount: Cents) => {
  const order = {
    accountId,
    wallet: 'spot',
    side,
    amount,
    reason: 'r',
    reference: newId(),
  } as const
  const { id } = await proposeAdjustment({ db, clock }, ada, { ...order, id: newId() })
  await approveAdjustment({ db, clock }, eve, id)
}
/** The account has been paid and has spent it: the wallet is empty, and the provider may take it back. */
const spentDeposit = async (tenantId: string, accountId: string): Promise<string> => {
  const { id } = await deposits.given({ tenantId, accountId, currency: 'USD' })
  deposits.gateway.pay(id, '100', { state: 'paid' })
  await deposits.follow()
  await adjust(accountId, 'debit', CREDITED)
  return id
}
const takeBack = (id: string): Promise<void> => {
  deposits.gateway.refund(id, '100')
  return deposits.follow()
}
const UNCLAIMED = sql(
  'test.unclaimed',
  "select ledger.house_balance('unclaimed_deposits', 'USD') cents",
)
const unclaimed = async (): Promise<bigint> =>
  (await db.query<{ cents: bigint }>(UNCLAIMED))[0]?.cents ?? 0n

describe('an account is not closed', () => {
  it('while one of its users owes what it has itself', async () => {
    const all = await given()
    await takeBack(await spentDeposit(all.merchantId, all.userId))
    await adjust(all.merchantId, 'credit', CREDITED)
    await assert.rejects(close(all, 'merchant'), refused('ACCOUNT_HAS_FUNDS'))
    await assert.rejects(close(all, 'sub_user'), refused('USER_HAS_FUNDS_OR_OPEN_TRADES'))
  })

  it('while euros of one user are as many as the dollars that another one owes', async () => {
    const all = await given()
    await takeBack(await spentDeposit(all.merchantId, all.userId))
    const european = await aSubUser(db, all.merchantId, { currency: 'EUR' })
    await adjust(european.id, 'credit', CREDITED)
    await assert.rejects(close(all, 'merchant'), refused('ACCOUNT_HAS_FUNDS'))
  })

  it('while a child owes', async () => {
    const all = await given()
    await takeBack(await spentDeposit(all.partnerId, all.childId))
    await assert.rejects(close(all, 'child'), refused('USER_HAS_FUNDS_OR_OPEN_TRADES'))
  })

  it('while a sell is under way, which has put nothing aside', async () => {
    const all = await given()
    await aTrade('sell', all.merchantId, all.userId)
    await assert.rejects(close(all, 'sub_user'), refused('USER_HAS_FUNDS_OR_OPEN_TRADES'))
    await assert.rejects(close(all, 'merchant'), refused('ACCOUNT_HAS_FUNDS'))
  })
})

describe('what a provider takes back of a closed account', () => {
  it('is no debt of it but the service’s, with a case', async () => {
    const all = await given()
    const id = await spentDeposit(all.merchantId, all.userId)
    await close(all, 'merchant')
    const before = await unclaimed()
    await takeBack(id)
    assert.equal((await unclaimed()) - before, -CREDITED)
    assert.deepEqual(await db.query(LEFT, [all.userId]), [])
    assert.deepEqual(deposits.cases.at(-1), { kind: 'deposit_owed', depositId: id })
  })

  it('waits for a close under way', async () => {
    const all = await given()
    const id = await spentDeposit(all.merchantId, all.userId)
    let taking: Promise<unknown> = Promise.resolve()
    await close(all, 'sub_user', async () => {
      taking = takeBack(id)
      await until('it waits', async () => (await db.query(WAITING)).length > 0)
    })
    await taking
    assert.deepEqual(await db.query(LEFT, [all.userId]), [])
  })
})
