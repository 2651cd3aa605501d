import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Db, sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { fund, readWallets } from '#ledger'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { until } from '../../../infra/testing/until.ts'
import { WAITING } from '../../../infra/testing/waiting.ts'
import { changeSubUser, reactivateSubUser, suspendSubUser } from './change-sub-user.ts'
import { deleteSubUser } from './close.ts'
import { createSubUser } from './create-sub-user.ts'
import { createCallerFinder } from './find-callers.ts'
import { getSubUser } from './get-sub-user.ts'
import { listSubUsers } from './list-sub-users.ts'
import { accountRefusal, keepAccount } from './lock-account.ts'
import { createTradeUrlResolver } from './resolve-trade-url.ts'
import { FIND_CALLERS, readNewestSubUsers } from './store.ts'
import { AT, aMerchant, aPlatform, aSubUser, readTradeUrl, urlOf } from './testing/accounts.ts'
import { addTradeUrl } from './trade-urls.ts'

let test: TestDatabase
let db: Db
before(async () => {
  test = await testDatabase({ poolSize: 20 })
  db = test.db
})
after(() => test.close())

const refusal = (key: string) => (error: unknown) => {
  assert.ok(error instanceof Refusal, String(error))
  assert.equal(error.key, key)
  return true
}

const create = (merchantId: string, externalId: string | null, email: string | null = null) =>
  db.transaction((tx) =>
    createSubUser(tx, { merchantId, currency: 'USD', email, platformId: null, externalId, at: AT }),
  )

const remove = (id: string, hasOpenBusiness = async () => false) => {
  const openBusiness = [async () => ((await hasOpenBusiness()) ? [id] : [])]
  return db.transaction((tx) => deleteSubUser(tx, id, AT, { openBusiness, closeBusiness: [] }))
}

const nothing = { email: null, platformId: null, externalId: null, at: AT }

const give = async (ownerId: string, amount: bigint): Promise<void> => {
  const GIVE = sql(
    'testing.give',
    `select ledger.post('deposit', null, $1, $2, '\\x00', $3, array['USD']::ledger.currency[],
       array[ledger.house('clearing_demo', 'USD')], array[ledger.account_of($1, 'spot')], array[$4::bigint])`,
  )
  await db.query(GIVE, [ownerId, newId(), AT, amount])
}

describe('creating', () => {
  it('opens one wallet in the currency asked for', async () => {
    const merchant = await aMerchant(db)
    const subUser = await aSubUser(db, merchant.id, { currency: 'EUR' })
    const wallets = await readWallets(db, [subUser.id])
    assert.deepEqual(
      wallets.map((wallet) => [wallet.kind, wallet.currency, wallet.balance]),
      [['spot', 'EUR', 0n]],
    )
  })

  it('with a known external id answers the first, whatever else is asked for', async () => {
    const merchant = await aMerchant(db)
    const first = await create(merchant.id, 'u1', 'one@example.com')
    const again = await create(merchant.id, 'u1', 'two@example.com')
    assert.equal(first.replayed, false)
    assert.deepEqual(again, { subUser: first.subUser, replayed: true })
  })

  it('of 32 with one external id at once one creates, and all get the same', async () => {
    const merchant = await aMerchant(db)
    const answers = await Promise.all(Array.from({ length: 32 }, () => create(merchant.id, 'u1')))
    assert.equal(new Set(answers.map(({ subUser }) => subUser.id)).size, 1)
    assert.equal(answers.filter(({ replayed }) => !replayed).length, 1)
    assert.equal((await readNewestSubUsers(db, merchant.id, 100)).length, 1)
  })

  it('external ids of two merchants are independent', async () => {
    const [one, two] = [await aMerchant(db), await aMerchant(db)]
    const first = await create(one.id, 'u1')
    assert.notEqual((await create(two.id, 'u1')).subUser.id, first.subUser.id)
  })

  it('without an external id creates every time', async () => {
    const merchant = await aMerchant(db)
    assert.notEqual(
      (await create(merchant.id, null)).subUser.id,
      (await create(merchant.id, null)).subUser.id,
    )
  })

  it('with the external id of a deleted one is USER_DELETED', async () => {
    const merchant = await aMerchant(db)
    const { subUser } = await create(merchant.id, 'u1')
    await remove(subUser.id)
    await assert.rejects(create(merchant.id, 'u1'), refusal('USER_DELETED'))
  })
})

describe('changing', () => {
  it('sets what is given and leaves the rest', async () => {
    const merchant = await aMerchant(db)
    const subUser = await aSubUser(db, merchant.id, { email: 'a@example.com', externalId: 'u1' })
    const changed = await db.transaction((tx) =>
      changeSubUser(tx, subUser.id, { ...nothing, platformId: '76561198000000001' }),
    )
    assert.deepEqual(changed, { ...subUser, platformId: '76561198000000001' })
  })

  it('to a taken external id is refused, that of a deleted one too, one’s own is not', async () => {
    const merchant = await aMerchant(db)
    const [one, two, gone] = [
      await aSubUser(db, merchant.id, { externalId: 'one' }),
      await aSubUser(db, merchant.id, { externalId: 'two' }),
      await aSubUser(db, merchant.id, { externalId: 'gone' }),
    ]
    await remove(gone.id)
    const rename = (externalId: string) =>
      db.transaction((tx) => changeSubUser(tx, one.id, { ...nothing, externalId }))
    await assert.rejects(rename('two'), refusal('EXTERNAL_ID_TAKEN'))
    await assert.rejects(rename('gone'), refusal('EXTERNAL_ID_TAKEN'))
    assert.equal((await rename('one')).externalId, 'one')
    assert.equal((await rename('three')).externalId, 'three')
    assert.equal((await getSubUser(db, merchant.id, 'two')).id, two.id)
  })
})

describe('suspending and reactivating', () => {
  it('are seen by the next call, and twice is as once', async () => {
    const merchant = await aMerchant(db)
    const subUser = await aSubUser(db, merchant.id)
    const other = await aSubUser(db, merchant.id)
    const find = createCallerFinder(db)
    const status = async (id: string) =>
      (await find({ merchantId: merchant.id, reference: id }))?.status
    for (let i = 0; i < 2; i++) {
      await db.transaction((tx) => suspendSubUser(tx, subUser.id, AT))
      assert.equal(await status(subUser.id), 'suspended')
    }
    assert.equal(await status(other.id), 'active')
    for (let i = 0; i < 2; i++) {
      await db.transaction((tx) => reactivateSubUser(tx, subUser.id, AT))
      assert.equal(await status(subUser.id), 'active')
    }
  })

  it('do not bring a deleted one back', async () => {
    const merchant = await aMerchant(db)
    const subUser = await aSubUser(db, merchant.id)
    await remove(subUser.id)
    await assert.rejects(
      db.transaction((tx) => reactivateSubUser(tx, subUser.id, AT)),
      refusal('USER_NOT_FOUND'),
    )
  })
})

describe('deleting', () => {
  it('leaves no way to the sub-user, keeps its history and erases what is personal', async () => {
    const merchant = await aMerchant(db)
    const subUser = await aSubUser(db, merchant.id, { externalId: 'u1', email: 'a@example.com' })
    const clock = { now: () => AT }
    const resolve = createTradeUrlResolver({
      platform: aPlatform(),
      clock,
      readTradeUrl,
    })
    const resolved = await resolve(urlOf(5), { requestId: 'r', tenantId: 'a tenant' })
    await db.transaction((tx) => addTradeUrl(tx, { accountId: subUser.id, resolved, at: AT }))
    await remove(subUser.id)
    for (const reference of [subUser.id, 'u1']) {
      await assert.rejects(getSubUser(db, merchant.id, reference), refusal('USER_NOT_FOUND'))
      assert.equal(await createCallerFinder(db)({ merchantId: merchant.id, reference }), null)
    }
    await assert.rejects(remove(subUser.id), refusal('USER_NOT_FOUND'))
    const [row] = await db.query<{ left: string }>(
      sql(
        'testing.personal',
        `select concat(email, platform_id, (select count(*) from identity.trade_url t where t.account_id = a.id)) "left"
         from identity.account a where id = $1`,
      ),
      [subUser.id],
    )
    assert.equal(row?.left, '0')
    assert.equal((await readWallets(db, [subUser.id])).length, 1)
  })

  it('with money in the wallet is refused', async () => {
    const merchant = await aMerchant(db)
    const subUser = await aSubUser(db, merchant.id)
    await give(subUser.id, 1n)
    await assert.rejects(remove(subUser.id), refusal('USER_HAS_FUNDS_OR_OPEN_TRADES'))
  })

  it('with something under way is refused', async () => {
    const merchant = await aMerchant(db)
    const subUser = await aSubUser(db, merchant.id)
    await assert.rejects(
      remove(subUser.id, async () => true),
      refusal('USER_HAS_FUNDS_OR_OPEN_TRADES'),
    )
    await getSubUser(db, merchant.id, subUser.id)
  })

  it('raced by fundings: either the money is refused or the deletion', async () => {
    const merchant = await aMerchant(db)
    await give(merchant.id, 1000n)
    for (let i = 0; i < 10; i++) {
      const subUser = await aSubUser(db, merchant.id)
      const funding = db.transaction(async (tx) => {
        await keepAccount(tx, subUser.id)
        return fund(tx, {
          direction: 'fund',
          merchant,
          subUser,
          amount: cents(10n),
          subUserAmount: cents(10n),
          idempotencyKey: newId(),
          at: AT,
        })
      })
      const [funded, removed] = await Promise.allSettled([funding, remove(subUser.id)])
      assert.notEqual(funded.status, removed.status)
      if (funded.status === 'rejected') refusal('USER_NOT_FOUND')(funded.reason)
      if (removed.status === 'rejected') refusal('USER_HAS_FUNDS_OR_OPEN_TRADES')(removed.reason)
    }
  })
})

describe('what opens something for an account', () => {
  const LOCK = sql('testing.lock_active_account', 'select identity.lock_active_account($1)')
  const locked = (id: string): Promise<unknown> =>
    db.query(LOCK, [id]).catch((error) => {
      throw accountRefusal(error) ?? error
    })

  it('finds it active, or is refused', async () => {
    const merchant = await aMerchant(db)
    const [active, suspended, deleted] = [
      await aSubUser(db, merchant.id),
      await aSubUser(db, merchant.id),
      await aSubUser(db, merchant.id),
    ]
    await db.transaction((tx) => suspendSubUser(tx, suspended.id, AT))
    await remove(deleted.id)
    await locked(active.id)
    await locked(merchant.id)
    await assert.rejects(locked(suspended.id), refusal('ACCOUNT_SUSPENDED'))
    await assert.rejects(locked(deleted.id), refusal('USER_NOT_FOUND'))
    await assert.rejects(locked(newId()), refusal('USER_NOT_FOUND'))
  })

  it('keeps a deletion waiting until its commit, and the deletion sees what was opened', async () => {
    const merchant = await aMerchant(db)
    const subUser = await aSubUser(db, merchant.id)
    let isOpen = false
    const seen: boolean[] = []
    let removal: Promise<unknown> = Promise.resolve()
    await db.transaction(async (tx) => {
      await tx.query(LOCK, [subUser.id])
      removal = remove(subUser.id, async () => {
        seen.push(isOpen)
        return isOpen
      })
      removal.catch(() => {})
      await until('the deletion waits', async () => (await db.query(WAITING)).length > 0)
      assert.deepEqual(seen, [])
      isOpen = true
    })
    await assert.rejects(removal, refusal('USER_HAS_FUNDS_OR_OPEN_TRADES'))
    assert.deepEqual(seen, [true])
  })
})

describe('finding', () => {
  it('by id in any case, by external id, and only one’s own', async () => {
    const [one, two] = [await aMerchant(db), await aMerchant(db)]
    const subUser = await aSubUser(db, one.id, { externalId: 'u1' })
    for (const reference of [subUser.id, subUser.id.toUpperCase(), 'u1']) {
      assert.equal((await getSubUser(db, one.id, reference)).id, subUser.id)
      await assert.rejects(getSubUser(db, two.id, reference), refusal('USER_NOT_FOUND'))
    }
    // External ids are the merchant's own spelling.
    await assert.rejects(getSubUser(db, one.id, 'U1'), refusal('USER_NOT_FOUND'))
    await assert.rejects(getSubUser(db, one.id, one.id), refusal('USER_NOT_FOUND'))
  })

  it('an external id whose bytes in Latin-1 are another one in UTF-8 is refused', async () => {
    const merchant = await aMerchant(db)
    await aSubUser(db, merchant.id, { externalId: 'café-x' })
    const two = await aSubUser(db, merchant.id, {})
    for (const externalId of ['cafÃ©-x', 'Â£', 'ð\u00a0\u00a1\u00a2']) {
      await assert.rejects(aSubUser(db, merchant.id, { externalId }), refusal('VALIDATION_FAILED'))
      const rename = db.transaction((tx) => changeSubUser(tx, two.id, { ...nothing, externalId }))
      await assert.rejects(rename, refusal('VALIDATION_FAILED'))
    }
    for (const externalId of ['é', 'Ã', '龍', 'Ã©龍', 'Ã© é']) {
      await aSubUser(db, merchant.id, { externalId })
    }
  })

  it('the id of an account is no external id of another: a call for one would act for the other', async () => {
    const merchant = await aMerchant(db)
    const [one, two] = [await aSubUser(db, merchant.id), await aSubUser(db, merchant.id)]
    for (const externalId of [one.id, one.id.toUpperCase(), merchant.id]) {
      const rename = db.transaction((tx) => changeSubUser(tx, two.id, { ...nothing, externalId }))
      await assert.rejects(rename, refusal('VALIDATION_FAILED'))
      await assert.rejects(aSubUser(db, merchant.id, { externalId }), refusal('VALIDATION_FAILED'))
    }
    assert.equal((await getSubUser(db, merchant.id, two.id)).externalId, null)
    const caller = await createCallerFinder(db)({ merchantId: merchant.id, reference: one.id })
    assert.equal(caller?.id, one.id)
    // Its own id, and a UUID of the merchant's that is no account here.
    for (const externalId of [two.id, newId()]) {
      const renamed = await db.transaction((tx) =>
        changeSubUser(tx, two.id, { ...nothing, externalId }),
      )
      assert.equal(renamed.externalId, externalId)
    }
    const otherTenant = await aMerchant(db)
    await aSubUser(db, otherTenant.id, { externalId: one.id })
  })

  it('callers of one turn are found by one statement, each with its own details', async () => {
    const one = await aMerchant(db, { fees: { childDefaultFeeBps: 450 } })
    const two = await aMerchant(db, { currency: 'EUR' })
    const subUser = await aSubUser(db, one.id, { externalId: 'u1' })
    const resolve = createTradeUrlResolver({
      platform: aPlatform(),
      clock: { now: () => AT },
      readTradeUrl,
    })
    const resolved = await resolve(urlOf(9), { requestId: 'r', tenantId: 'a tenant' })
    await db.transaction((tx) => addTradeUrl(tx, { accountId: subUser.id, resolved, at: AT }))
    let statements = 0
    const counted: Pick<Db, 'query'> = {
      query: (statement, values) => {
        statements++
        return db.query(statement, values)
      },
    }
    const find = createCallerFinder(counted)
    const [merchant, byExternalId, otherTenant, byId, other] = await Promise.all([
      find({ merchantId: one.id, reference: null }),
      find({ merchantId: one.id, reference: 'u1' }),
      find({ merchantId: two.id, reference: 'u1' }),
      find({ merchantId: one.id, reference: subUser.id }),
      find({ merchantId: two.id, reference: null }),
    ])
    assert.equal(statements, 1)
    assert.deepEqual(merchant, {
      id: one.id,
      role: 'merchant',
      status: 'active',
      currency: 'USD',
      platformId: null,
      feeBps: 300,
      merchant: { buyFeeBps: 200, sellFeeBps: 150, childDefaultFeeBps: 450 },
      primaryTradeUrl: null,
    })
    assert.deepEqual(byExternalId, {
      id: subUser.id,
      role: 'sub_user',
      status: 'active',
      currency: 'USD',
      platformId: '76561197960265737',
      feeBps: null,
      merchant: { buyFeeBps: 200, sellFeeBps: 150, childDefaultFeeBps: 450 },
      primaryTradeUrl: { url: urlOf(9), platformId: '76561197960265737' },
    })
    assert.deepEqual(byId, byExternalId)
    assert.equal(otherTenant, null)
    assert.equal(other?.currency, 'EUR')
  })

  it('a caller costs index look-ups, never a scan of all accounts', async () => {
    const merchant = await aMerchant(db)
    await db.query(
      sql(
        'testing.many',
        `insert into identity.account (id, kind, parent_id, currency, external_id, created_at, updated_at)
         select uuidv7(), 'sub_user', $1, 'USD', 'many-' || i, now(), now() from generate_series(1, 5000) i`,
      ),
      [merchant.id],
    )
    await db.script('analyze identity.account; analyze identity.trade_url')
    const [row] = await db.query<{ 'QUERY PLAN': unknown }>(
      sql('testing.explain_callers', `explain (format json) ${FIND_CALLERS.text}`),
      [[merchant.id], [null], ['many-77']],
    )
    const plan = JSON.stringify(row?.['QUERY PLAN'])
    assert.equal(/"Node Type":"Seq Scan"[^}]*"Relation Name":"account"/.test(plan), false, plan)
  })
})

describe('listing', () => {
  it('shows pages newest first, and an empty one beyond the end', async () => {
    const merchant = await aMerchant(db)
    const otherTenant = await aMerchant(db)
    await aSubUser(db, otherTenant.id)
    for (let i = 0; i < 5; i++) {
      await aSubUser(db, merchant.id, { externalId: `u${i}`, at: new Date(AT.getTime() + i) })
    }
    const page = async (number: number) => {
      const { items, ...rest } = await listSubUsers(db, merchant.id, {
        page: number,
        limit: 2,
        prefix: null,
        status: null,
      })
      return { ...rest, ids: items.map((item) => item.externalId) }
    }
    const frame = { total: 5, limit: 2, totalPages: 3 }
    assert.deepEqual(await page(1), { ...frame, page: 1, ids: ['u4', 'u3'] })
    assert.deepEqual(await page(3), { ...frame, page: 3, ids: ['u0'] })
    assert.deepEqual(await page(4), { ...frame, page: 4, ids: [] })
    assert.deepEqual(await page(2_147_483_647), { ...frame, page: 2_147_483_647, ids: [] })
  })

  it('finds by the beginning of email, external id and platform id, and by status', async () => {
    const merchant = await aMerchant(db)
    await aSubUser(db, merchant.id, { externalId: 'shop_1', email: 'Anna@example.com' })
    await aSubUser(db, merchant.id, { externalId: 'shop%2', platformId: '76561198000000002' })
    const suspended = await aSubUser(db, merchant.id, { externalId: 'anna-2' })
    await db.transaction((tx) => suspendSubUser(tx, suspended.id, AT))
    const gone = await aSubUser(db, merchant.id, { externalId: 'anna-3' })
    await remove(gone.id)
    const find = async (
      prefix: string | null,
      status: 'active' | 'suspended' | 'deleted' | null,
    ) => {
      const { items, total } = await listSubUsers(db, merchant.id, {
        page: 1,
        limit: 100,
        prefix,
        status,
      })
      assert.equal(items.length, total)
      return items.map((item) => item.externalId).sort()
    }
    assert.deepEqual(await find('anna', null), ['anna-2', 'shop_1'])
    assert.deepEqual(await find('ANNA@', null), ['shop_1'])
    assert.deepEqual(await find('shop', null), ['shop%2', 'shop_1'])
    // What LIKE would read as a wildcard is a character like any other.
    assert.deepEqual(await find('shop%', null), ['shop%2'])
    assert.deepEqual(await find('shop_', null), ['shop_1'])
    assert.deepEqual(await find('76561198', null), ['shop%2'])
    assert.deepEqual(await find('nna', null), [])
    assert.deepEqual(await find(null, 'suspended'), ['anna-2'])
    assert.deepEqual(await find(null, 'deleted'), ['anna-3'])
    assert.deepEqual(await find(null, 'active'), ['shop%2', 'shop_1'])
    assert.deepEqual(await find(null, null), ['anna-2', 'shop%2', 'shop_1'])
  })
})
