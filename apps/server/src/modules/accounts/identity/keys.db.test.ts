import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Db, openDb, sql, violatedConstraint } from '#infra/database/db'
import { until } from '#infra/testing/until'
import { newId } from '#kernel/id'
import { readWallets } from '#ledger'
import { manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { changeKey, rotateKey, setAccountStatus } from './administration.ts'
import { createChild } from './children.ts'
import {
  KEY_REQUESTS_KEPT,
  type KeyRequestsQuery,
  listKeyRequests,
  type NotedRequest,
  OWNED_REQUESTS_KEPT,
} from './key-request-store.ts'
import { createKeyChecker, createKeyFinder, issueKey, revokeKey, watchKeys } from './keys.ts'
import {
  BURST,
  createKeyRequestNotes,
  type DroppedBecause,
  MAX_WAITING,
  REFUSED_BURST,
} from './note-key-requests.ts'
import { createAdmin, createMerchant, createPartner } from './principals.ts'
import { AT, aMerchant, aSubUser, FEES } from './testing/accounts.ts'

let test: TestDatabase
let db: Db
const clock = manualClock(AT)
before(async () => {
  test = await testDatabase()
  db = test.db
})
after(() => test.close())

const issue = (accountId: string, allowlist: string[] = []) =>
  db.transaction((tx) =>
    issueKey(tx, {
      accountId,
      kind: 'merchant',
      name: 'main',
      environment: 'test',
      allowlist,
      at: AT,
    }),
  )

describe('a key', () => {
  it('is found by its secret, with what the edge must know', async () => {
    const merchant = await aMerchant(db, { currency: 'EUR' })
    const { id, secret } = await issue(merchant.id, ['10.0.0.0/8', '2001:db8::1/128'])
    assert.deepEqual(await createKeyFinder({ db, clock })(secret), {
      keyId: id,
      kind: 'merchant',
      accountId: merchant.id,
      partnerId: null,
      currency: 'EUR',
      revoked: false,
      expiresAt: null,
      allowlist: ['10.0.0.0/8', '2001:db8::1/128'],
      accountStatus: 'active',
      feeBps: 300,
      tier: 'standard',
      scopes: null,
      accounts: null,
      endsAt: null,
      spendLimitId: null,
    })
  })

  it('that was never issued is null', async () => {
    assert.equal(await createKeyFinder({ db, clock })('tp_test_nobody'), null)
  })

  it('is kept as a hash only', async () => {
    const merchant = await aMerchant(db)
    const { id, secret } = await issue(merchant.id)
    const [row] = await db.query<Record<string, unknown>>(
      sql('testing.key', 'select * from identity.api_key where id = $1'),
      [id],
    )
    const stored = JSON.stringify(row)
    assert.equal(stored.includes(secret.slice(8, 40)), false)
    assert.equal(row?.prefix, 'tp_test_')
    assert.equal(row?.last4, secret.slice(-4))
  })

  it('that was revoked is found as revoked', async () => {
    const merchant = await aMerchant(db)
    const { id, secret } = await issue(merchant.id)
    await db.transaction((tx) => revokeKey(tx, id, AT))
    assert.equal((await createKeyFinder({ db, clock })(secret))?.revoked, true)
  })

  it('is good until it is revoked or has run out', async () => {
    const merchant = await aMerchant(db)
    const [good, revoked, over, ending] = [
      await issue(merchant.id),
      await issue(merchant.id),
      await issue(merchant.id),
      await issue(merchant.id),
    ]
    await db.transaction((tx) => revokeKey(tx, revoked.id, AT))
    const endsAt = (id: string, seconds: number) =>
      db.query(
        sql(
          'testing.rotate',
          `update identity.api_key set status = 'rotating', valid_until = $2 where id = $1`,
        ),
        [id, new Date(clock.now().getTime() + seconds * 1000)],
      )
    await endsAt(over.id, 0)
    await endsAt(ending.id, 1)
    const isGoodKey = createKeyChecker({ db, clock })
    const isGood = (keyId: string) => isGoodKey({ keyId, address: '203.0.113.7' })
    const asked = [good.id, revoked.id, over.id, ending.id, merchant.id]
    assert.deepEqual(await Promise.all(asked.map(isGood)), [true, false, false, true, false])
  })

  it('notes its use to the minute', async () => {
    const merchant = await aMerchant(db)
    const { id, secret } = await issue(merchant.id)
    const find = createKeyFinder({ db, clock })
    const lastUsed = async (): Promise<Date | null> => {
      const [row] = await db.query<{ last_used_at: Date | null }>(
        sql('testing.last_used', 'select last_used_at from identity.api_key where id = $1'),
        [id],
      )
      return row?.last_used_at ?? null
    }
    assert.equal(await lastUsed(), null)
    await find(secret)
    const first = clock.now()
    assert.deepEqual(await lastUsed(), first)
    clock.advance(59_000)
    await find(secret)
    assert.deepEqual(await lastUsed(), first)
    clock.advance(2_000)
    await find(secret)
    assert.deepEqual(await lastUsed(), clock.now())
  })

  it('with an allowlist that is no network is refused by the database', async () => {
    const merchant = await aMerchant(db)
    await assert.rejects(issue(merchant.id, ['10.0.0.1/8']), /cidr/)
  })
})

it('processes that remember keys are notified of a revocation, of a merchant that is suspended or has a new fee, not of sub-users', async () => {
  const notices: (string | null)[] = []
  const stop = await watchKeys(db, (changed) => {
    notices.push(changed && `${changed.keyId} of ${changed.accountId}`)
  })
  const seen = async (...expected: typeof notices): Promise<void> => {
    await until(`notice ${expected.length}`, () => notices.length >= expected.length)
    assert.deepEqual(notices, expected)
  }
  const setStatus = (id: string): Promise<unknown> =>
    db.query(
      sql('testing.suspend', "update identity.account set status = 'suspended' where id = $1"),
      [id],
    )
  const merchant = await aMerchant(db)
  const subUser = await aSubUser(db, merchant.id)
  const { id, secret } = await issue(merchant.id)
  await createKeyFinder({ db, clock })(secret)
  await setStatus(subUser.id)
  // A new name changes nothing that is remembered.
  await db.transaction((tx) => changeKey(tx, id, { name: 'renamed', allowlist: [] }, AT))
  await db.transaction((tx) => revokeKey(tx, id, AT))
  await seen(`${id} of ${merchant.id}`)
  await setStatus(merchant.id)
  await seen(`${id} of ${merchant.id}`, null)
  const SET_FEE = sql('testing.fee', 'update identity.account set fee_bps = 250 where id = $1')
  await db.query(SET_FEE, [merchant.id])
  await seen(`${id} of ${merchant.id}`, null, null)
  await stop()
})

it('of a child is suspended with its partner, and is good again with it', async () => {
  const fees = { feeBps: null, buyFeeBps: null }
  const { partner, apiKey } = await db.transaction(async (tx) => {
    const partner = await createPartner(tx, {
      ...{ email: 'suspended-partner@example.com', name: 'P', fees, at: AT },
    })
    const { apiKey } = await createChild(tx, {
      ...{ partnerId: partner.id, email: 'its@example.com', name: null, description: null },
      ...{ environment: 'test', at: AT },
    })
    return { partner, apiKey: apiKey ?? '' }
  })
  const find = createKeyFinder({ db, clock: manualClock(AT) })
  const statusOf = async () => (await find(apiKey))?.accountStatus
  assert.equal(await statusOf(), 'active')
  assert.equal((await find(apiKey))?.partnerId, partner.id)
  await db.transaction((tx) => setAccountStatus(tx, partner.id, 'suspended', AT))
  assert.equal(await statusOf(), 'suspended')
  await db.transaction((tx) => setAccountStatus(tx, partner.id, 'active', AT))
  assert.equal(await statusOf(), 'active')
})

describe('accounts', () => {
  const principal = (email: string) => ({ email, name: 'N', at: AT })

  it('get the wallets of their kind', async () => {
    const merchant = await aMerchant(db, { currency: 'EUR' })
    const partner = await db.transaction((tx) =>
      createPartner(tx, { ...principal('p@example.com'), fees: { feeBps: null, buyFeeBps: null } }),
    )
    const { child } = await db.transaction((tx) =>
      createChild(tx, {
        ...{ partnerId: partner.id, email: 'c@example.com', name: 'C', description: null },
        ...{ environment: 'test', at: AT },
      }),
    )
    const admin = await db.transaction((tx) => createAdmin(tx, principal('a@example.com')))
    const HAS = sql('testing.has_account', 'select ledger.account_of($1, $2) is not null "has"')
    const walletsOf = async (id: string): Promise<string> => {
      const wallets = await readWallets(db, [id])
      const [escrow] = await db.query<{ has: boolean }>(HAS, [id, 'escrow'])
      const words = wallets.map(({ kind, currency }) => `${kind} ${currency}`)
      return [...words.sort(), ...(escrow?.has ? ['escrow'] : [])].join(', ')
    }
    assert.equal(await walletsOf(merchant.id), 'earnings EUR, spot EUR, escrow')
    assert.equal(await walletsOf(partner.id), 'spot USD, escrow')
    assert.equal(await walletsOf(child.id), 'spot USD, escrow')
    assert.equal(await walletsOf(admin.id), '')
  })

  it('that log in share no email, in whatever case', async () => {
    const merchant = (email: string) =>
      db.transaction((tx) =>
        createMerchant(tx, {
          ...principal(email),
          currency: 'USD',
          country: 'DE',
          tier: 'enterprise',
          fees: FEES,
        }),
      )
    await merchant('twice@example.com')
    await assert.rejects(merchant('Twice@Example.com'), (error) => {
      assert.equal(violatedConstraint(error), 'account_login')
      return true
    })
  })
})

describe('the bounds of a key', () => {
  const bounds = (accounts: string[] | null) => ({
    scopes: ['read', 'live'] as const,
    accounts,
    endsAt: new Date(AT.getTime() + 60_000),
    spendLimitId: null,
  })
  const issueBounded = (accountId: string, accounts: string[] | null) =>
    db.transaction((tx) =>
      issueKey(tx, {
        ...{ accountId, kind: 'merchant', name: 'bounded', environment: 'test', at: AT },
        bounds: bounds(accounts),
      }),
    )
  const set = (id: string, change: string) =>
    db.query(
      sql(
        `testing.bound_${change.replaceAll(/\W+/g, '_')}`,
        `update identity.api_key set ${change} where id = $1`,
      ),
      [id],
    )

  it('are found with it, and kept by a rotation', async () => {
    const merchant = await aMerchant(db)
    const user = await aSubUser(db, merchant.id)
    const { id, secret } = await issueBounded(merchant.id, [user.id])
    const find = createKeyFinder({ db, clock: manualClock(AT) })
    const boundsOf = async (of: string) => {
      const { scopes, accounts, endsAt, spendLimitId } =
        (await find(of)) ?? assert.fail('no such key')
      return { scopes, accounts, endsAt, spendLimitId }
    }
    assert.deepEqual(await boundsOf(secret), bounds([user.id]))
    const rotated = await db.transaction((tx) =>
      rotateKey(tx, id, {
        overlapUntil: new Date(AT.getTime() + 1000),
        environment: 'test',
        at: AT,
      }),
    )
    assert.deepEqual(await boundsOf(rotated.secret), bounds([user.id]))
  })

  it('close the sockets of a key that has ended or lost the scope of sockets', async () => {
    const merchant = await aMerchant(db)
    const { id } = await issueBounded(merchant.id, null)
    const now = manualClock(AT)
    const isGood = createKeyChecker({ db, clock: now })
    const ask = () => isGood({ keyId: id, address: '203.0.113.7' })
    assert.equal(await ask(), true)
    await set(id, `scopes = '{read}'`)
    assert.equal(await ask(), false)
    await set(id, `scopes = null`)
    assert.equal(await ask(), true)
    now.advance(60_000)
    assert.equal(await ask(), false)
  })

  it('close the sockets of sub-users that the key no longer acts for', async () => {
    const merchant = await aMerchant(db)
    const [kept, dropped] = [await aSubUser(db, merchant.id), await aSubUser(db, merchant.id)]
    const { id } = await issueBounded(merchant.id, [kept.id, dropped.id])
    const isGood = createKeyChecker({ db, clock: manualClock(AT) })
    const ask = (accountId: string) => isGood({ keyId: id, address: '203.0.113.7', accountId })
    assert.deepEqual([await ask(kept.id), await ask(dropped.id)], [true, true])
    await db.transaction((tx) => changeKey(tx, id, { accounts: [kept.id] }, AT))
    assert.deepEqual([await ask(kept.id), await ask(dropped.id)], [true, false])
    assert.equal(await ask(merchant.id), false)
  })

  it('are notified to every process when they change', async () => {
    const merchant = await aMerchant(db)
    const { id } = await issueBounded(merchant.id, null)
    const changes: unknown[] = []
    const stop = await watchKeys(db, (changed) => changes.push(changed))
    try {
      const noticed = (count: number) =>
        until(
          `notice ${count}`,
          () => changes.filter((c) => (c as { keyId?: string })?.keyId === id).length >= count,
        )
      await set(id, `scopes = '{read}'`)
      await noticed(1)
      await set(id, `accounts = array[gen_random_uuid()]`)
      await noticed(2)
      await set(id, `ends_at = null`)
      await noticed(3)
    } finally {
      await stop()
    }
  })
})

describe('the requests of a key', () => {
  const requestOf = (keyId: string, of: Partial<NotedRequest> = {}): NotedRequest => ({
    ...{ id: newId(AT.getTime()), keyId, startedAt: AT, durationMs: 12, method: 'GET' },
    ...{ route: '/user/wallet', status: 200, errorKey: null, tradeId: null, ...of },
  })
  const listed = async (keyId: string, of: Partial<KeyRequestsQuery> = {}) => {
    const all = { statuses: null, route: null, errorKey: null, cursor: null, limit: 100, at: AT }
    return listKeyRequests(db, { keyId, ...all, ...of })
  }
  const notesOf = (at: Db = db) => {
    const dropped: Record<DroppedBecause, number> = { pace: 0, full: 0, failed: 0 }
    const time = manualClock(AT)
    const notes = createKeyRequestNotes({
      ...{ db: at, clock: time, onError: () => {} },
      onDropped: (because, count) => {
        dropped[because] += count
      },
    })
    return { notes, dropped, clock: time }
  }
  const aKey = async (): Promise<{ tenantId: string; keyId: string }> => {
    const { id: tenantId } = await aMerchant(db)
    return { tenantId, keyId: (await issue(tenantId)).id }
  }

  it('are listed for their key alone, newest first, page by page', async () => {
    const { notes } = notesOf()
    const [one, other] = [await aKey(), await aKey()]
    const ids = Array.from({ length: 5 }, () => newId(AT.getTime()))
    for (const id of ids) notes.note(one.tenantId, requestOf(one.keyId, { id }))
    notes.note(other.tenantId, requestOf(other.keyId))
    await notes.stop()
    const first = await listed(one.keyId, { limit: 3 })
    const second = await listed(one.keyId, { limit: 3, cursor: first.nextCursor })
    const found = [...first.items, ...second.items].map(({ id }) => id)
    assert.deepEqual([found, second.nextCursor], [ids.toReversed(), null])
    assert.equal((await listed(other.keyId)).items.length, 1)
    // The place of another key’s request is no place in this list.
    assert.deepEqual((await listed(other.keyId, { cursor: ids[0] ?? null })).items, [])
  })

  it('are found by status, by a part of the route, and by error', async () => {
    const { notes } = notesOf()
    const { tenantId, keyId } = await aKey()
    const buy = { method: 'POST', route: '/market/buy' }
    const refused = { ...buy, status: 409, errorKey: 'INSUFFICIENT_BALANCE' }
    for (const one of [{}, buy, refused, { status: 500, errorKey: 'INTERNAL_ERROR' }]) {
      notes.note(tenantId, requestOf(keyId, one))
    }
    await notes.stop()
    const statuses = async (of: Partial<KeyRequestsQuery>) =>
      (await listed(keyId, of)).items.map(({ status }) => status)
    assert.deepEqual(await statuses({ statuses: { from: 400, to: 499 } }), [409])
    assert.deepEqual(await statuses({ route: 'post /market' }), [409, 200])
    assert.deepEqual(await statuses({ errorKey: 'internal_error' }), [500])
    assert.deepEqual(await statuses({ errorKey: 'INTERNAL' }), [])
  })

  it('are 10,000 at most: with each batch the oldest go', async () => {
    const { keyId } = await aKey()
    const { notes } = notesOf()
    const tenantIds = Array.from({ length: KEY_REQUESTS_KEPT / 400 + 1 }, () => newId())
    // Of many tenants, so that the pace of one does not bound them.
    for (const tenantId of tenantIds) {
      for (let i = 0; i < 400; i++) notes.note(tenantId, requestOf(keyId))
      await notes.flush()
    }
    await notes.stop()
    const [row] = await db.query<{ count: number; least: bigint; most: bigint }>(
      sql(
        'testing.key_requests',
        `select count(*)::int count, min(number) least, max(number) most from identity.key_request where key_id = $1`,
      ),
      [keyId],
    )
    assert.deepEqual(row, { count: KEY_REQUESTS_KEPT, least: 401n, most: 10_400n })
  })

  it('are 100,000 at most of a tenant with its children, of whichever keys', async () => {
    const { id: partnerId } = await aMerchant(db)
    const [one, other] = [await aKey(), await aKey()]
    const { notes } = notesOf()
    const noteAll = async (keyId: string, count: number): Promise<void> => {
      for (let i = 0; i < count; i++) notes.note(partnerId, requestOf(keyId))
      await notes.flush()
    }
    await noteAll(one.keyId, 300)
    await db.query(
      sql(
        'testing.have_written',
        'update identity.key_request_owner set written = written + $2 where owner_id = $1',
      ),
      [partnerId, OWNED_REQUESTS_KEPT - 200],
    )
    await noteAll(other.keyId, 50)
    await notes.stop()
    const rows = await db.query<{ keyId: string; count: number }>(
      sql(
        'testing.requests_of_owner',
        `select key_id "keyId", count(*)::int count from identity.key_request
         where owner_id = $1 group by 1 order by min(owner_number)`,
      ),
      [partnerId],
    )
    assert.deepEqual(rows, [
      { keyId: one.keyId, count: 150 },
      { keyId: other.keyId, count: 50 },
    ])
  })

  it('are numbered without a gap when two processes write at once', async () => {
    const { tenantId, keyId } = await aKey()
    const other = await aKey()
    const processes = [notesOf().notes, notesOf().notes]
    for (let i = 0; i < 40; i++) {
      for (const notes of processes) {
        notes.note(tenantId, requestOf(keyId))
        notes.note(other.tenantId, requestOf(other.keyId))
      }
      await Promise.all(processes.map((notes) => notes.flush()))
    }
    await Promise.all(processes.map((notes) => notes.stop()))
    const rows = await db.query<{ number: bigint }>(
      sql(
        'testing.numbers',
        'select number from identity.key_request where key_id = $1 order by 1',
      ),
      [keyId],
    )
    assert.deepEqual(
      rows.map(({ number }) => Number(number)),
      Array.from({ length: 80 }, (_, i) => i + 1),
    )
  })

  it('of seven days are shown', async () => {
    const { notes } = notesOf()
    const { tenantId, keyId } = await aKey()
    notes.note(tenantId, requestOf(keyId))
    await notes.stop()
    const inDays = (days: number) => new Date(AT.getTime() + days * 86_400_000)
    assert.equal((await listed(keyId, { at: inDays(6.9) })).items.length, 1)
    assert.equal((await listed(keyId, { at: inDays(7.1) })).items.length, 0)
  })

  it('of a flood are dropped above the pace of its key and tenant, and others go on', async () => {
    const { notes, dropped, clock: time } = notesOf()
    const [one, other] = [await aKey(), await aKey()]
    const second = (await issue(one.tenantId)).id
    const flood = (times: number, keyId: string, of: Partial<NotedRequest> = {}): void => {
      for (let i = 0; i < times; i++) notes.note(one.tenantId, requestOf(keyId, of))
    }
    const refused = { status: 401, errorKey: 'API_KEY_REVOKED' }
    flood(REFUSED_BURST / 2 + 10, one.keyId, refused)
    assert.equal(dropped.pace, 10)
    flood(REFUSED_BURST / 2 + 10, second, refused)
    assert.equal(dropped.pace, 20)
    // The refusals took nothing of what was admitted, and one key nothing of the other's half.
    flood(BURST / 2 + 10, one.keyId)
    assert.equal(dropped.pace, 30)
    flood(BURST / 2, second)
    notes.note(other.tenantId, requestOf(other.keyId))
    assert.deepEqual(dropped, { pace: 30, full: 0, failed: 0 })
    time.advance(3000)
    flood(BURST / 40 + 5, one.keyId)
    assert.equal(dropped.pace, 35)
    await notes.stop()
    assert.equal((await listed(other.keyId)).items.length, 1)
  })

  it('that are too many at once push out those of the tenant with the most', async () => {
    const { notes, dropped } = notesOf()
    const { tenantId, keyId } = await aKey()
    const [flooding, another] = [await aKey(), await aKey()]
    const tenants = Array.from({ length: MAX_WAITING / 400 }, () => newId())
    for (const each of tenants) {
      for (let i = 0; i < 400; i++) notes.note(each, requestOf(flooding.keyId))
    }
    notes.note(tenantId, requestOf(keyId))
    notes.note(tenants[0] ?? '', requestOf(another.keyId))
    assert.deepEqual(dropped, { pace: 0, full: 2, failed: 0 })
    await notes.stop()
    assert.equal((await listed(keyId)).items.length, 1)
  })

  it('that cannot be written are dropped and counted, and the next are written', async () => {
    const away = openDb({ url: test.url, poolSize: 1, applicationName: 'test' })
    await away.close()
    const { notes, dropped } = notesOf(away)
    const { tenantId, keyId } = await aKey()
    notes.note(tenantId, requestOf(keyId))
    await notes.stop()
    assert.deepEqual(dropped, { pace: 0, full: 0, failed: 1 })
  })
})
