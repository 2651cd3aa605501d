// What an account's people read of it at length: saved views of lists, exports as CSV, and the log of their
// own acts.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { createChild } from '#identity'
import { createCopyOut } from '#infra/database/copy-out'
import { sql } from '#infra/database/db'
import { BusyError } from '#infra/database/tenant-shares'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { findPersonId, listViews, removeMember } from '#people'
import { until } from '../../../infra/testing/until.ts'
import { aSubUser } from '../../../modules/accounts/identity/testing/accounts.ts'
import {
  givenWalletWithdrawal,
  givenWithdrawal,
} from '../../../modules/crypto/payouts/testing/withdrawals.ts'
import { credit } from '../../../modules/money/ledger/testing/wallets.ts'
import { givenManyTrades } from '../../../modules/trading/trades/testing/many-trades.ts'
import { type Browser, codeIn, type LoggedInBrowser, tokenIn } from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()

/** More than sockets keep of what is not read. */
const WRITE_MUCH = sql(
  'test_write_much',
  `insert into audit.entry (at, actor_kind, actor_id, act, subject_type, account_id, request, facts)
   select now(), 'member', 'x', 'test.write', 'account', $1, '{}', jsonb_build_object('x', repeat('x', 4000))
   from generate_series(1, 12000)`,
)
const withMuchToRead = await server.loggedIn()
await database.db.query(WRITE_MUCH, [withMuchToRead.accountId])

/** `$1` rows of 10 kB, the highest number first. */
const NUMBERED = sql(
  'test_numbered',
  `select n, repeat('x', 10000) x from generate_series($1::bigint, 1, -1) n`,
)
const LIMITS = { atOnce: 2, timeoutMs: 60_000, slowMs: 1000, stallMs: 60_000 } as const
/** More than sockets keep of what is not read. */
const manyRows = { statement: NUMBERED, values: [100_000n] }
const oneRow = { statement: NUMBERED, values: [1n] }
const ONE_ROW_TEXT = `\ufeffn,x\r\n1,${'x'.repeat(10_000)}\r\n`
const SPOIL = sql(
  'test_spoil_names',
  `update trades.trade set external_id = $2 where tenant_id = $1 and external_id = $3`,
)

const download = ({ cookie }: LoggedInBrowser, path: string): Promise<Response> =>
  fetch(`${server.url}/dashboard/api/${path}`, { headers: { cookie: cookie ?? '' } })

/** A whole file, with plain line ends and without its byte order mark, which `text()` would drop unseen. */
async function textOf(response: Response): Promise<string> {
  assert.equal(response.status, 200, response.url)
  assert.match(response.headers.get('content-type') ?? '', /^text\/csv/)
  const file = Buffer.from(await response.arrayBuffer()).toString()
  assert.match(file, /^\ufeff[^\ufeff]/)
  assert.match(file, /^([^\n]*\r\n)+$/)
  return file.slice(1).replaceAll('\r\n', '\n')
}

const readCsv = async (browser: LoggedInBrowser, path: string): Promise<string> =>
  textOf(await download(browser, `exports/${path}`))

/** With its byte order mark. */
const text = async (rows: Readable): Promise<string> => (await buffer(rows)).toString()

const countOf = (file: string): number => file.trimEnd().split('\n').length - 1

it('rows leave as CSV that spreadsheets read; formulas are text, amounts are numbers', async () => {
  const browser = await server.loggedIn()
  const tenantId = browser.accountId
  const { accountId: otherTenant } = await server.person()
  const from = new Date('2026-11-01T00:00:00Z')
  await givenManyTrades(database.db, { tenantId, count: 300, from })
  await givenManyTrades(database.db, { tenantId: otherTenant, count: 1, from })
  await database.db.query(SPOIL, [tenantId, '=cmd|"/c calc"!A0', 'many-1'])
  await database.db.query(SPOIL, [tenantId, '＝1+1', 'many-2'])
  const invisible = [
    ...['\u0001', ' ', '\u0085', '\u00a0', '\u200b', '\u2028', '\u3000', '\ufeff'],
    ...['\u00ad', '\u061c', '\u2066', '\u2800', '\ufe0f', '\u{e0020}'],
  ]
  const before = invisible.join('')
  const shown = (text: string): string =>
    text.replace(
      /[\p{Cc}\p{Bidi_Control}\u2028]/gu,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    )
  await database.db.query(SPOIL, [tenantId, `${before}@SUM(1)`, 'many-3'])
  for (const [i, one] of invisible.entries()) {
    await database.db.query(SPOIL, [tenantId, `${one}-1`, `many-${i + 4}`])
  }
  await credit(database.db, { id: tenantId, currency: 'USD' }, cents(123_456n))
  const read = (path: string) => readCsv(browser, path)
  assert.equal((await browser.call('POST', 'exports', { what: 'trades' })).status, 200)
  const trades = (await read('trades')).trimEnd().split('\n')
  assert.equal(trades.length, 301)
  assert.match(trades.at(-1) ?? '', /"'=cmd\|""\/c calc""!A0"/)
  assert.match(trades.at(-2) ?? '', /,'＝1\+1,/)
  assert.ok(trades.at(-3)?.includes(`,'${shown(before)}@SUM(1),`))
  for (const [i, one] of invisible.entries()) {
    assert.ok(
      trades.at(-4 - i)?.includes(`,'${shown(one)}-1,`),
      `a sign after ${JSON.stringify(one)}`,
    )
  }
  const header = trades[0] ?? ''
  assert.ok(
    header.endsWith(
      'total,currency,user_external_id,refunded,penalty,house_fee,merchant_fee,error',
    ),
  )
  assert.match(trades[1] ?? '', /,failed,.*,10\.50,USD,,10\.50,0\.00,0\.30,0\.20,PURCHASE_FAILED$/)
  assert.match(trades[2] ?? '', /,completed,.*,$/)
  assert.equal(countOf(await read('trades?status=failed')), 75)
  assert.equal(countOf(await read('trades?status=hold,completed')), 225)
  assert.match(await read('ledger'), /,deposit_credit,posted,1234\.56,/)
  assert.equal(countOf(await read('ledger?type=deposit_credit&status=posted')), 1)
  assert.equal(countOf(await read('ledger?type=trade_payment')), 0)
  assert.equal(countOf(await read('ledger?status=reversed')), 0)
  assert.equal(countOf(await read('ledger?walletType=earnings')), 0)
  const audit = await read('audit')
  // Of each file that was loaded, this one included.
  assert.equal(audit.match(/account\.export/g)?.length, 9)
})

it('a line break within a field stays as it is, also where a chunk ends', async () => {
  const copyOut = createCopyOut({ ...LIMITS, db: database.db })
  const statement = sql(
    'test_broken',
    `select n, repeat('"é' || chr(10), 9000) x from generate_series(1, $1::bigint) n`,
  )
  const field = `"${'""é\n'.repeat(9000)}"`
  const lines = Array.from({ length: 20 }, (_, i) => `${i + 1},${field}\r\n`)
  const file = await text(copyOut.open('one', { statement, values: [20n] }))
  assert.equal(file, `\ufeffn,x\r\n${lines.join('')}`)
})

const EXPORT_SESSIONS = `pg_stat_activity
   where datname = current_database() and application_name = 'tradepost exports'`
const END_EXPORTS = sql(
  'test_end_exports',
  `select pg_terminate_backend(pid) from ${EXPORT_SESSIONS}`,
)
const WAITS = sql(
  'test_waits',
  `select wait_event_type || ':' || wait_event "waitsFor" from ${EXPORT_SESSIONS}`,
)
const untilExportWaitsFor = (wanted: string): Promise<unknown> =>
  until(`an export waits for ${wanted}`, async () =>
    (await database.db.query<{ waitsFor: string | null }>(WAITS)).some(
      ({ waitsFor }) => waitsFor === wanted,
    ),
  )
const untilNoExport = (): Promise<unknown> =>
  until('no export has a connection', async () => (await database.db.query(WAITS)).length === 0)

it('an export that is cut is an answer without its last chunk, and fails with its reader', async () => {
  const { body } = await download(withMuchToRead, 'exports/audit')
  assert.ok(body)
  const reader = body.getReader()
  await reader.read()
  await database.db.query(END_EXPORTS)
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  }, /terminated/)
})

const LOCK_TRADES = sql('test_lock_trades', 'lock table trades.trade in access exclusive mode')

it('an export that is cut before it has a row is the answer of a failure', async () => {
  const browser = await server.loggedIn()
  await database.db.transaction(async (tx) => {
    await tx.query(LOCK_TRADES)
    const answer = download(browser, 'exports/trades')
    await untilExportWaitsFor('Lock:relation')
    await database.db.query(END_EXPORTS)
    const { status, headers } = await answer
    assert.equal(status, 500)
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
  })
})

/** Far longer than anything is waited for. */
const SLEEPING = { statement: sql('test_sleeping', 'select pg_sleep($1)'), values: [3600n] }

it('a reader who goes away ends the statement, be it before the first row or in the middle', async () => {
  const { body } = await download(withMuchToRead, 'exports/audit')
  await untilExportWaitsFor('Client:ClientWrite')
  await body?.cancel()
  await untilNoExport()
  const copyOut = createCopyOut({ ...LIMITS, db: database.db })
  const sleeping = copyOut.open('one', SLEEPING)
  await untilExportWaitsFor('Timeout:PgSleep')
  sleeping.destroy()
  await untilNoExport()
})

it('a file shows one moment, and PostgreSQL waits for its reader', async () => {
  const { db } = database
  const copyOut = createCopyOut({ ...LIMITS, db })
  await db.script('create table kept (n int primary key)')
  await db.script('insert into kept select generate_series(1, 20000)')
  const statement = sql(
    'test_kept',
    `select n, repeat('x', 4000) x from kept where n % $1::bigint = 0 order by n desc`,
  )
  const rows = copyOut.open('one', { statement, values: [2n] })
  await untilExportWaitsFor('Client:ClientWrite')
  await db.script(
    'delete from kept where n < 10; insert into kept select generate_series(20001, 30000)',
  )
  const lines = Array.from({ length: 10_000 }, (_, i) => `${20_000 - 2 * i},${'x'.repeat(4000)}`)
  // 40 MB that differ are not to be printed.
  assert.ok((await text(rows)) === `\ufeffn,x\r\n${lines.join('\r\n')}\r\n`)
})

it('an account has one export, which counts no more once it was left, not read or whole', async () => {
  const copyOut = createCopyOut({ ...LIMITS, db: database.db, stallMs: 1000 })
  await once(copyOut.open('one', manyRows).destroy(), 'close')
  const unread = copyOut.open('one', manyRows)
  assert.throws(() => copyOut.open('one', oneRow), BusyError)
  assert.equal(await text(copyOut.open('other', oneRow)), ONE_ROW_TEXT)
  await assert.rejects(once(unread, 'close'), /the rows were not read/)
  assert.equal(await text(copyOut.open('one', oneRow)), ONE_ROW_TEXT)
  const copied = copyOut.open('one', oneRow)
  const next = await until('what is copied holds no place', () => copyOut.open('one', oneRow))
  for (const rows of [copied, next]) assert.equal(await text(rows), ONE_ROW_TEXT)
})

it('two accounts that do not read take no export from a third, whose own reader keeps up', async () => {
  const copyOut = createCopyOut({ ...LIMITS, db: database.db })
  const unread = ['one', 'two'].map((id) => copyOut.open(id, manyRows))
  const cutOff = Promise.race(unread.map((rows) => once(rows, 'close'))).catch(
    (error: Error) => error,
  )
  // Those in its way have to be seen as slow first.
  const third = await until('an export has a place', () => copyOut.open('three', oneRow))
  assert.equal(await text(third), ONE_ROW_TEXT)
  assert.match(String(await cutOff), /took the place of one that was not read/)
  for (const rows of unread) rows.destroy()
})

it('a reader that has taken nothing for less than is slow loses its place to no other', async () => {
  const copyOut = createCopyOut({ ...LIMITS, db: database.db, slowMs: 60_000 })
  const unread = ['one', 'two'].map((id) => copyOut.open(id, manyRows))
  await untilExportWaitsFor('Client:ClientWrite')
  assert.throws(() => copyOut.open('three', oneRow), BusyError)
  for (const rows of unread) rows.destroy()
})

const LONG_ASKED = sql(
  'test_long_asked',
  `select from ${EXPORT_SESSIONS} and clock_timestamp() - query_start > '1200 ms'`,
)

it('a reader who waits for the database is not slow, and loses its place to no other', async () => {
  const copyOut = createCopyOut({ ...LIMITS, db: database.db, stallMs: 200 })
  const waiting = ['one', 'two'].map((id) => copyOut.open(id, SLEEPING).resume())
  await until('both have waited', async () => (await database.db.query(LONG_ASKED)).length === 2)
  assert.throws(() => copyOut.open('three', oneRow), BusyError)
  for (const rows of waiting) assert.equal(rows.destroyed, false)
  for (const rows of waiting) rows.destroy()
})

it('no file takes longer than it may', async () => {
  const copyOut = createCopyOut({ ...LIMITS, db: database.db, timeoutMs: 300 })
  await assert.rejects(text(copyOut.open('one', SLEEPING)), /the rows took too long/)
})

it('deposits and withdrawals of the account leave with exact amounts, and no others', async () => {
  const [browser, other] = [await server.loggedIn(), await server.loggedIn()]
  const { accountId: ownerId } = browser
  const who = { accountId: ownerId, tenantId: ownerId, currency: 'USD' } as const
  const paid = await server.deposits.given(who)
  await server.deposits.given(who)
  server.deposits.gateway.pay(paid.id, '100', { state: 'paid' })
  await server.deposits.follow()
  const hostile = { merchantId: ownerId, externalId: '=1+1', at: server.clock.now() }
  const withdrawal = await givenWithdrawal(database.db, hostile)
  const deposits = await readCsv(browser, 'deposits')
  assert.equal(countOf(deposits), 2)
  const completed = await readCsv(browser, 'deposits?status=completed&method=gateway')
  assert.match(completed, new RegExp(`\n${paid.id},.*,USDT,100,100,99\\.00,USD,1\\.00,`))
  assert.equal(countOf(completed), 1)
  assert.equal(countOf(await readCsv(browser, 'deposits?method=onramp')), 0)
  const withdrawals = await readCsv(browser, 'withdrawals?status=pending_callback')
  assert.match(
    withdrawals,
    new RegExp(
      `\n${withdrawal.id},.*,'=1\\+1,,,base,ETH,0\\.00411333333333333\\d,12\\.34,0\\.10,0x7099`,
    ),
  )
  assert.equal(countOf(await readCsv(browser, 'withdrawals?status=refunded')), 0)
  for (const what of ['deposits', 'withdrawals']) {
    assert.equal(countOf(await readCsv(other, what)), 0, what)
  }
})

it('filters of the lists narrow an export too, and a user is one of the account', async () => {
  const [browser, otherTenant] = [await server.loggedIn(), await server.loggedIn()]
  const { accountId: tenantId } = browser
  const at = server.clock.now()
  const { id: userId } = await aSubUser(database.db, tenantId, { externalId: 'buyer-1' })
  await givenManyTrades(database.db, { tenantId, accountId: userId, count: 8, from: at })
  await credit(database.db, { id: userId, currency: 'USD' }, cents(500n))
  await givenWithdrawal(database.db, { merchantId: tenantId, externalId: 'w-1', at })
  const [trade] = (await browser.call('GET', 'trades?limit=1')).data.items
  assert.deepEqual([trade.userId, trade.userName], [userId, 'buyer-1'])
  assert.match(await readCsv(browser, 'trades'), /,USD,buyer-1,/)
  for (const [query, rows] of [
    ['trades?itemName=oldest', 1],
    ['trades?hideResolved=true', 6],
    ['trades?externalId=many-2', 1],
    ['trades?offerId=1', 0],
    [`trades?tradeId=${trade.id}`, 1],
    ['trades?userId=buyer-1', 8],
    [`trades?userId=${tenantId}`, 0],
    [`ledger?userId=${userId}`, 1],
    ['deposits?userId=buyer-1', 0],
    ['withdrawals?externalId=w-1', 1],
    ['withdrawals?externalId=w-2', 0],
    ['audit?act=key.issue', 0],
  ] as const) {
    assert.equal(countOf(await readCsv(browser, query)), rows, query)
  }
  for (const what of ['trades', 'ledger', 'deposits']) {
    const refused = await otherTenant.call('GET', `exports/${what}?userId=${userId}`)
    assert.equal(refused.key, 'USER_NOT_FOUND', what)
  }
})

it('orders, transfers and withdrawals of a partner leave as CSV, and the audit log of the service', async () => {
  server.nextMinute()
  const { email, accountId: partnerId } = await server.partner()
  const partner = Object.assign(server.browser(), { email, accountId: partnerId })
  await partner.logIn(email)
  const at = server.clock.now()
  const { child } = await database.db.transaction((tx) =>
    createChild(tx, {
      ...{ partnerId, email: 'child@shops.example', name: 'child', description: null },
      ...{ environment: 'test', at },
    }),
  )
  await givenManyTrades(database.db, {
    tenantId: partnerId,
    accountId: child.id,
    count: 8,
    from: at,
  })
  await credit(database.db, { id: partnerId, currency: 'USD' }, cents(10_000n))
  const transfer = { toEmail: 'child@shops.example', amountCents: 250, idempotencyKey: 'one' }
  assert.equal((await partner.call('POST', 'partner/transfers', transfer)).status, 200)
  assert.equal(countOf(await readCsv(partner, 'orders?status=FAILED')), 2)
  assert.equal(countOf(await readCsv(partner, `orders?userId=${child.id}`)), 8)
  assert.match(
    await readCsv(partner, 'transfers'),
    new RegExp(`,-2\\.50,one,USD,97\\.50,${child.id}\n$`),
  )
  assert.match(
    await readCsv(partner, `transfers?userId=${child.id}`),
    new RegExp(`,USD,2\\.50,${partnerId}\n`),
  )
  assert.match(await readCsv(partner, `ledger?userId=${child.id}`), /,2\.50,/)
  const own = { accountId: child.id, tenantId: partnerId, at }
  await credit(database.db, { id: child.id, currency: 'USD' }, cents(2_000n))
  const withdrawal = await givenWalletWithdrawal(database.db, own)
  for (const [query, rows] of [
    ['', 1],
    [`?userId=${child.id}`, 1],
    [`?userId=${partnerId}`, 0],
  ] as const) {
    const file = await readCsv(partner, `withdrawals${query}`)
    assert.equal(countOf(file), rows, query)
    assert.equal(file.includes(`${withdrawal.id},`), rows > 0, query)
  }
  const admin = await server.loggedIn('administrator')
  const log = await download(admin, `admin/audit-log/export?accountId=${partnerId}`)
  assert.match(await textOf(log), /,child\.transfer,/)
  const refused = await partner.call('GET', 'admin/audit-log/export')
  assert.equal(refused.key, 'FORBIDDEN')
})

it('a character that turns text around is shown as its escape', async () => {
  const browser = await server.loggedIn()
  const own = { merchantId: browser.accountId, at: server.clock.now() }
  await givenWithdrawal(database.db, { ...own, externalId: '\u202Eabc\u0007 \u05D0' })
  assert.match(await readCsv(browser, 'withdrawals'), /,\\u202Eabc\\u0007 \u05D0,/)
})

it('a sign after a separator of another setting begins no formula either', async () => {
  const browser = await server.loggedIn()
  const own = { merchantId: browser.accountId, at: server.clock.now() }
  const signs = ['a;=1+1', 'b; @SUM(1);-2', 'c;"=1+1"', 'd;e-1=2']
  for (const externalId of signs) await givenWithdrawal(database.db, { ...own, externalId })
  const file = await readCsv(browser, 'withdrawals')
  for (const shown of ["a;'=1+1", "b; '@SUM(1);'-2", `"c;""'=1+1"""`, 'd;e-1=2']) {
    assert.ok(file.includes(`,${shown},`), `${shown} in ${file}`)
  }
})

it('takes every time that a list takes, also one that its offset moves out of the years 1 to 9999', async () => {
  const [browser, admin] = [await server.loggedIn(), await server.loggedIn('administrator')]
  const at = server.clock.now()
  await givenManyTrades(database.db, { tenantId: browser.accountId, count: 2, from: at })
  for (const [time, since, until] of [
    ['0001-01-01T00:00:00+23:59', 2, 0],
    ['9999-12-31T23:59:59-23:59', 0, 2],
  ] as const) {
    for (const [bound, rows] of [
      [`from=${encodeURIComponent(time)}`, since],
      [`to=${encodeURIComponent(time)}`, until],
    ] as const) {
      assert.equal((await browser.call('GET', `trades?${bound}`)).status, 200, bound)
      assert.equal(countOf(await readCsv(browser, `trades?${bound}`)), rows, bound)
      for (const what of ['ledger', 'deposits', 'withdrawals', 'audit']) {
        await readCsv(browser, `${what}?${bound}`)
      }
      await textOf(await download(admin, `admin/audit-log/export?${bound}`))
    }
  }
})

it('refuses a state or type that the rows of an export cannot have', async () => {
  const browser = await server.loggedIn()
  for (const query of ['deposits?status=hold', 'ledger?type=buy', 'trades?status=failed,posted']) {
    const { key, meta } = await browser.call('GET', `exports/${query}`)
    assert.deepEqual([key, meta?.errors[0].rule], ['VALIDATION_FAILED', 'enum'], query)
  }
  const body = { what: 'withdrawals', status: 'completed' }
  assert.equal((await browser.call('POST', 'exports', body)).key, 'VALIDATION_FAILED')
})

it('asks for a fresh factor, and for a session', async () => {
  const browser = await server.loggedIn()
  server.clock.advance(11 * 60_000)
  assert.equal((await browser.call('GET', 'exports/trades')).key, 'TWO_FACTOR_FRESH_REQUIRED')
  assert.equal((await fetch(`${server.url}/dashboard/api/exports/trades`)).status, 401)
})

describe('the audit log of an account', () => {
  /** What its members did with their logins, the oldest first, as the account's own page shows it. */
  const actsOf = async (browser: Browser): Promise<{ act: string; facts: object }[]> => {
    const { items } = (await browser.call('GET', 'audit?limit=100')).data
    return items.filter(({ act }: { act: string }) => act.startsWith('person.')).reverse()
  }

  it('names what a person does with a login, from its registration to its end', async () => {
    server.nextMinute()
    const email = `r-${newId()}@example.com`
    const password = 'plenty of quiet rivers'
    const browser = server.browser()
    const link = async (to = email) => tokenIn((await server.mailTo(to))[0]?.text ?? '')
    await browser.call('POST', 'auth/register', { email, password })
    await browser.call('POST', 'auth/verify-email', { token: await link() })
    await browser.logIn(email, 'a wrong password')
    await server.answerAnonymousRequests()
    await browser.logIn(email, password)
    await server.browser().logIn(email, password)
    await browser.call('DELETE', 'sessions')
    const next = 'a longer new phrase'
    await browser.call('PUT', 'password', { currentPassword: 'wrong', newPassword: next })
    await browser.call('PUT', 'password', { currentPassword: password, newPassword: next })
    const { challengeId } = (await browser.call('POST', 'two-factor/email')).data
    const code = codeIn((await server.mailTo(email))[0]?.text ?? '')
    const enabled = await browser.call('POST', 'two-factor/email/enable', { challengeId, code })
    server.nextMinute()
    const second = server.browser()
    const asked = (await second.logIn(email, next)).meta
    const proof = { challengeId: asked.challengeId, method: 'recovery' }
    await second.call('POST', 'auth/two-factor', { ...proof, code: 'WRONG-CODES' })
    const [recovery] = enabled.data.recoveryCodes
    await second.call('POST', 'auth/two-factor', { ...proof, code: recovery })
    await second.call('DELETE', 'two-factor')
    const newEmail = `n-${newId()}@example.com`
    await second.call('POST', 'email', { email: newEmail })
    await second.call('POST', 'auth/email', { token: await link(newEmail) })
    await second.call('POST', 'auth/logout')
    server.nextMinute()
    await browser.logIn(newEmail, next)
    const acts = await actsOf(browser)
    assert.deepEqual(
      acts.map(({ act, facts }) => [act, facts]),
      [
        ['person.register', {}],
        ['person.verify_email', {}],
        ['person.log_in', { by: 'registration' }],
        ['person.log_in_failed', { what: 'password' }],
        ['person.log_in', { by: 'password' }],
        ['person.log_in', { by: 'password' }],
        ['person.end_other_sessions', { ended: 2 }],
        ['person.log_in_failed', { what: 'password in a session' }],
        ['person.change_password', {}],
        ['person.add_factor', { factor: 'email' }],
        ['person.log_in_failed', { what: 'recovery' }],
        ['person.use_recovery_code', { left: 9 }],
        ['person.log_in', { by: 'password and recovery' }],
        ['person.turn_off_factor', { factor: 'email' }],
        ['person.ask_email_change', { newEmail }],
        ['person.change_email', {}],
        ['person.log_out', {}],
        ['person.log_in', { by: 'password' }],
      ],
    )
    assert.ok(!JSON.stringify(acts).includes(recovery))
    // Neither another account's log nor that of a refused act has any of it.
    const otherTenant = await server.loggedIn()
    assert.deepEqual(
      (await actsOf(otherTenant)).map(({ act }) => act),
      ['person.log_in'],
    )
    await otherTenant.call('DELETE', `sessions/${newId()}`)
    assert.equal((await actsOf(otherTenant)).length, 1)
  })

  it('lists twenty failures of a person, and none more for a day', async () => {
    const owner = await server.loggedIn()
    const fail = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++) {
        server.clock.advance(15 * 60_000)
        assert.equal(
          (await server.browser().logIn(owner.email, 'wrong')).key,
          'INVALID_CREDENTIALS',
        )
      }
    }
    const failures = async () => {
      await server.answerAnonymousRequests()
      return (await actsOf(owner)).filter(({ act }) => act === 'person.log_in_failed')
    }
    await fail(22)
    const listed = await failures()
    assert.equal(listed.length, 20)
    const further = { rest: 'further failures are not listed for a day' }
    assert.deepEqual(listed.at(-1)?.facts, { what: 'password', ...further })
    assert.deepEqual(listed.at(-2)?.facts, { what: 'password' })
    server.clock.advance(86_400_000)
    await fail(1)
    assert.equal((await failures()).length, 21)
    // An address without a login leaves nothing.
    await server.browser().logIn('who@example.com', 'wrong')
    assert.equal((await failures()).length, 21)
  })
})

describe('saved views', () => {
  const failed = { list: 'listTrades', query: 'status=failed' }

  it('are saved under a name, replaced by it, renamed, deleted, and their person’s alone', async () => {
    const browser = await server.loggedIn()
    const saved = await browser.call('POST', 'views', { ...failed, name: 'Failed' })
    assert.equal(saved.status, 201)
    const { id } = saved.data
    const again = { list: 'listTrades', name: 'Failed', query: 'status=failed&type=buy' }
    assert.deepEqual((await browser.call('POST', 'views', again)).data, { id, ...again })
    await browser.call('POST', 'views', { ...failed, name: 'Another' })
    assert.deepEqual(
      (await browser.call('GET', 'views?list=listTrades')).data.map(
        ({ name }: { name: string }) => name,
      ),
      ['Another', 'Failed'],
    )
    assert.deepEqual((await browser.call('GET', 'views?list=listEvents')).data, [])
    const taken = await browser.call('PATCH', `views/${id}`, { name: 'Another' })
    assert.deepEqual([taken.key, taken.meta.errors[0].pointer], ['VALIDATION_FAILED', '/name'])
    assert.equal((await browser.call('PATCH', `views/${id}`, { name: 'Mine' })).data.name, 'Mine')
    const otherTenant = await server.loggedIn()
    assert.deepEqual((await otherTenant.call('GET', 'views?list=listTrades')).data, [])
    assert.equal((await otherTenant.call('DELETE', `views/${id}`)).key, 'NOT_FOUND')
    assert.equal((await browser.call('DELETE', `views/${id}`)).status, 200)
    assert.equal((await browser.call('DELETE', `views/${id}`)).key, 'NOT_FOUND')
  })

  it('are twenty of a list at most, also when they are saved at once, and go with the membership', async () => {
    const browser = await server.loggedIn('read_only')
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        browser.call('POST', 'views', { ...failed, name: `View ${i}` }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 20)
    assert.ok(answers.every(({ status, key }) => status === 201 || key === 'VALIDATION_FAILED'))
    const long = { ...failed, name: 'Long', query: `q=${'x'.repeat(999)}` }
    assert.equal((await browser.call('POST', 'views', long)).key, 'VALIDATION_FAILED')
    const { accountId, email } = browser
    const personId = await findPersonId(database.db, email)
    assert.ok(personId)
    await database.db.transaction((tx) =>
      removeMember(tx, { personId, accountId, at: server.clock.now() }),
    )
    assert.deepEqual(await listViews(database.db, { personId, accountId }, 'listTrades'), [])
  })
})
