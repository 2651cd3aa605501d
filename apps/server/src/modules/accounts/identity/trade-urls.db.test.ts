import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Db, sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { Refusal } from '#kernel/refusal'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { createTradeUrlResolver } from './resolve-trade-url.ts'
import { AT, aMerchant, aPlatform, aSubUser, readTradeUrl, urlOf } from './testing/accounts.ts'
import { readTradeUrls } from './trade-url-store.ts'
import { addTradeUrl, makePrimary, removeTradeUrl } from './trade-urls.ts'

let test: TestDatabase
let db: Db
before(async () => {
  test = await testDatabase({ poolSize: 20 })
  db = test.db
})
after(() => test.close())

const resolve = createTradeUrlResolver({
  platform: aPlatform(),
  clock: { now: () => AT },
  readTradeUrl,
})

const refusal = (key: string) => (error: unknown) => {
  assert.ok(error instanceof Refusal, String(error))
  assert.equal(error.key, key)
  return true
}

/** The `n`th URL, stored `n` milliseconds after the start. */
async function add(accountId: string, n: number) {
  const resolved = await resolve(urlOf(100 + n), { requestId: 'r', tenantId: 'a tenant' })
  const at = new Date(AT.getTime() + n)
  return db.transaction((tx) => addTradeUrl(tx, { accountId, resolved, at }))
}
const prefer = (accountId: string, id: string) =>
  db.transaction((tx) => makePrimary(tx, accountId, id))
const remove = (accountId: string, id: string) =>
  db.transaction((tx) => removeTradeUrl(tx, accountId, id))

/** The URLs as stored, newest first; the primary one with a star. */
const urls = async (accountId: string): Promise<string[]> =>
  (await readTradeUrls(db, accountId)).map(
    ({ url, isPrimary }) => /partner=1(\d\d)/.exec(url)?.[1] + (isPrimary ? '*' : ''),
  )

const account = async (): Promise<string> => (await aSubUser(db, (await aMerchant(db)).id)).id

describe('trade URLs', () => {
  it('the first becomes primary and links the platform account; later ones change neither', async () => {
    const id = await account()
    const first = await add(id, 1)
    assert.equal(first.isPrimary, true)
    assert.equal(first.platformId, '76561197960265829')
    assert.equal((await add(id, 2)).isPrimary, false)
    assert.deepEqual(await urls(id), ['02', '01*'])
    const [row] = await db.query<{ platform_id: string }>(
      sql('testing.linked', 'select platform_id from identity.account where id = $1'),
      [id],
    )
    assert.equal(row?.platform_id, '76561197960265829')
  })

  it('the same URL again is the same row', async () => {
    const id = await account()
    const first = await add(id, 1)
    await add(id, 2)
    const again = await add(id, 1)
    assert.equal(again.id, first.id)
    assert.deepEqual(await urls(id), ['02', '01*'])
  })

  it('of two accounts are independent', async () => {
    const [one, two] = [await account(), await account()]
    const [first, second] = [await add(one, 1), await add(two, 1)]
    assert.notEqual(first.id, second.id)
    await assert.rejects(prefer(two, first.id), refusal('TRADEURL_NOT_FOUND'))
    await assert.rejects(remove(two, first.id), refusal('TRADEURL_NOT_FOUND'))
    assert.deepEqual(await urls(one), ['01*'])
  })

  it('making one primary takes it from the other', async () => {
    const id = await account()
    await add(id, 1)
    const second = await add(id, 2)
    for (let i = 0; i < 2; i++) {
      assert.equal((await prefer(id, second.id)).isPrimary, true)
      assert.deepEqual(await urls(id), ['02*', '01'])
    }
  })

  it('an unknown one leaves the primary as it is', async () => {
    const id = await account()
    await add(id, 1)
    for (const unknown of [newId(), 'nonsense']) {
      await assert.rejects(prefer(id, unknown), refusal('TRADEURL_NOT_FOUND'))
      await assert.rejects(remove(id, unknown), refusal('TRADEURL_NOT_FOUND'))
    }
    assert.deepEqual(await urls(id), ['01*'])
  })

  it('deleting the primary promotes the newest left, deleting another promotes none', async () => {
    const id = await account()
    const [first, , third] = [await add(id, 1), await add(id, 2), await add(id, 3)]
    await remove(id, first.id)
    assert.deepEqual(await urls(id), ['03*', '02'])
    const fourth = await add(id, 4)
    await remove(id, fourth.id)
    assert.deepEqual(await urls(id), ['03*', '02'])
    await remove(id, third.id)
    assert.deepEqual(await urls(id), ['02*'])
    await remove(id, (await readTradeUrls(db, id))[0]?.id ?? '')
    assert.deepEqual(await urls(id), [])
    await add(id, 5)
    assert.deepEqual(await urls(id), ['05*'])
  })

  it('added, preferred and deleted at once, one is primary in the end', async () => {
    const id = await account()
    await Promise.all(Array.from({ length: 10 }, (_, i) => add(id, i + 1)))
    const stored = await readTradeUrls(db, id)
    assert.equal(stored.filter((url) => url.isPrimary).length, 1)
    await Promise.allSettled([
      ...stored.map((url) => prefer(id, url.id)),
      ...stored.slice(0, 7).map((url) => remove(id, url.id)),
    ])
    const left = await readTradeUrls(db, id)
    assert.equal(left.length, 3)
    assert.equal(left.filter((url) => url.isPrimary).length, 1)
  })

  it('are a hundred at most; one that is there already still answers', async () => {
    const id = await account()
    await db.query(
      sql(
        'testing.fill_urls',
        `insert into identity.trade_url (id, account_id, partner, token, platform_id, url, persona_name, avatar_url,
           profile_url, is_primary, created_at)
         select uuidv7(), $1, 500 + i, 'accept00', (500 + i + 76561197960265728)::text, '', '', '', '', false, now()
         from generate_series(1, 99) i`,
      ),
      [id],
    )
    const hundredth = await add(id, 1)
    await assert.rejects(add(id, 2), refusal('VALIDATION_FAILED'))
    assert.equal((await add(id, 1)).id, hundredth.id)
  })
})
