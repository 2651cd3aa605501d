// Statements as an account's people read and save them.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createChild } from '#identity'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { credit } from '../../../modules/money/ledger/testing/wallets.ts'
import type { LoggedInBrowser } from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()

const save = ({ cookie }: LoggedInBrowser, query: string): Promise<Response> =>
  fetch(`${server.url}/dashboard/api/statements?${query}`, { headers: { cookie: cookie ?? '' } })

const MONTH = '2026-10'
async function withAMonth(): Promise<LoggedInBrowser> {
  const browser = await server.loggedIn()
  const of = { id: browser.accountId, currency: 'USD' } as const
  await credit(database.db, of, cents(100_000n), { at: new Date(`${MONTH}-03T00:00:00Z`) })
  await credit(database.db, of, cents(2345n), { at: new Date(`${MONTH}-30T00:00:00Z`) })
  return browser
}

it('a statement as CSV has a line for each figure', async () => {
  const browser = await withAMonth()
  const response = await save(browser, `month=${MONTH}&format=csv`)
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8')
  const disposition = response.headers.get('content-disposition')
  assert.equal(disposition, `attachment; filename="statement-${MONTH}.csv"`)
  const text = Buffer.from(await response.arrayBuffer()).toString()
  const of = (line: string): string => `${MONTH}-0001,${MONTH},${line}\r\n`
  const lines = [
    'number,month,wallet,currency,line,count,credit,debit,amount\r\n',
    of('spot,USD,opening,,,,0.00'),
    of('spot,USD,deposit_credit,2,1023.45,0.00,1023.45'),
    of('spot,USD,closing,,,,1023.45'),
    of('spot,USD,fees_house,,,,0.00'),
    of('spot,USD,fees_merchant,,,,0.00'),
    of('earnings,USD,opening,,,,0.00'),
    of('earnings,USD,closing,,,,0.00'),
  ]
  assert.equal(text, `\ufeff${lines.join('')}`)
})

it('a statement as PDF is a file of its month, and the log of the account says who saved it', async () => {
  const browser = await withAMonth()
  const response = await save(browser, `month=${MONTH}&format=pdf`)
  assert.equal(response.headers.get('content-type'), 'application/pdf')
  const disposition = response.headers.get('content-disposition')
  assert.equal(disposition, `attachment; filename="statement-${MONTH}.pdf"`)
  assert.match(Buffer.from(await response.arrayBuffer()).toString('latin1'), /^%PDF-1\.7\n/)
  const { data } = await browser.call('GET', 'audit?act=account.export')
  assert.deepEqual(
    data.items.map((entry: { facts: object }) => entry.facts),
    [{ what: 'statement', month: MONTH, format: 'pdf' }],
  )
})

it('a statement that is shown is not logged, and is what keys read', async () => {
  const browser = await withAMonth()
  const { data } = await browser.call('GET', `statements?month=${MONTH}`)
  assert.deepEqual([data.closed, data.wallets[0].closing], [true, 1023.45])
  const log = await browser.call('GET', 'audit?act=account.export')
  assert.deepEqual(log.data.items, [])
})

it('an account of others is not found, nor a month to come', async () => {
  const browser = await withAMonth()
  const other = await server.loggedIn()
  for (const format of ['', '&format=pdf', '&format=csv']) {
    const strange = await browser.call('GET', `statements?subUserId=${other.accountId}${format}`)
    assert.deepEqual([strange.status, strange.key], [404, 'USER_NOT_FOUND'])
    const future = await browser.call('GET', `statements?month=9000-01${format}`)
    assert.equal(future.status, 422)
  }
})

it('a partner reads its own statement and those of its children', async () => {
  server.nextMinute()
  const { email, accountId: partnerId } = await server.partner()
  const browser = Object.assign(server.browser(), { email, accountId: partnerId })
  await browser.logIn(email)
  const at = new Date(`${MONTH}-03T00:00:00Z`)
  const { child } = await database.db.transaction((tx) =>
    createChild(tx, {
      ...{ partnerId, email: `${newId()}@shops.example`, name: 'child', description: null },
      ...{ environment: 'test', at },
    }),
  )
  await credit(database.db, { id: child.id, currency: 'USD' }, cents(700n), { at })
  const { data } = await browser.call('GET', `statements?month=${MONTH}&subUserId=${child.id}`)
  assert.deepEqual([data.wallets.length, data.wallets[0].closing], [1, 7])
  for (const format of ['csv', 'pdf']) {
    const ofChild = `month=${MONTH}&subUserId=${child.id}&format=${format}`
    const disposition = (await save(browser, ofChild)).headers.get('content-disposition')
    const name = `statement-${MONTH}-${child.id}.${format}`
    assert.equal(disposition, `attachment; filename="${name}"`, 'beside its own of the month')
  }
  const own = await browser.call('GET', `statements?month=${MONTH}`)
  assert.deepEqual([own.data.wallets.length, own.data.wallets[0].closing], [1, 0])
})
