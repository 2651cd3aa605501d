// A merchant's pages in a real browser, over data that tries to break out of them: markup, formulas, text of
// both directions, very long names.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { it, type TestContext } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { type Db, sql } from '../../apps/server/src/infra/database/db.ts'
import { assertDefined } from '../../apps/server/src/kernel/assert.ts'
import { baseUnits } from '../../apps/server/src/kernel/chain.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { cents } from '../../apps/server/src/kernel/money.ts'
import { writeCallback } from '../../apps/server/src/modules/crypto/payouts/index.ts'
import { post } from '../../apps/server/src/modules/money/custody/index.ts'
import { credit } from '../../apps/server/src/modules/money/ledger/testing/wallets.ts'
import { givenManyTrades } from '../../apps/server/src/modules/trading/trades/testing/many-trades.ts'
import { hold, noBrowser, PHONE, type Watched, WIDE } from '../support/browser.ts'
import {
  type Dashboard,
  faultsOf,
  givenDashboard,
  judgePages,
  logInTo,
  pagesOf,
  settled,
} from '../support/dashboard.ts'
import {
  givenHostileDelivery,
  givenHostileItem,
  givenHostileOrder,
  givenHostileUser,
  givenListedEvent,
  spoilAccount,
  spoilTrades,
} from '../support/hostile-data.ts'
import { MARKUP, PAGES } from '../support/pages.ts'
import { until } from '../support/until.ts'

const skip = noBrowser
const TRADES = 2_500

let merchant: { readonly email: string; readonly accountId: string }
const dashboard = givenDashboard(async (started) => {
  const { server } = started
  merchant = await server.person()
  await seedHostileData(started, { tenantId: merchant.accountId, now: server.clock.now() })
})

const ORDERED = sql(
  'test_order_of_item',
  `insert into bidding.market_order (tenant_id, account_id, external_id, request_hash, item_id, market_hash_name, filters,
     instant_only, currency, max_price, quantity, status, expires_at, created_at, updated_at)
   values ($1, $1, 'demand', '\\x00', $2, 'any', '{}', false, 'USD', 1000, 2, 'open', now() + interval '1 day', now(), now())`,
)

const REFUNDED = sql(
  'test_refunded_withdrawals',
  `update payouts.withdrawal set status = 'refunded', failure_reason = 'approval_rejected', due_at = null,
     refunded_at = $2
   where owner_id = $1 returning id, (units + fee_units)::text units`,
)

/** A browser of its own, logged in as the merchant. */
const loggedIn = (t: TestContext, options?: BrowserContextOptions): Promise<Watched> =>
  logInTo(t, {
    server: dashboard.server,
    browser: dashboard.browser,
    email: merchant.email,
    ...(options && { options }),
  })

let ids: Readonly<Record<string, string>> = {}

async function seedHostileData(
  { database: { db }, server: { clock, deposits } }: Dashboard,
  { tenantId, now }: { readonly tenantId: string; readonly now: Date },
): Promise<void> {
  const from = new Date(now.getTime() - 10 * 86_400_000)
  await givenManyTrades(db, { tenantId, count: TRADES, from, everySeconds: 300 })
  await credit(db, { id: tenantId, currency: 'USD' }, cents(500_000n))
  await deposits.given({ accountId: tenantId, tenantId, currency: 'USD' })
  await spoilAccount(db, tenantId, now)
  ids = {
    trade: await spoilTrades(db, tenantId),
    delivery: await givenHostileDelivery(db, tenantId),
    event: await givenListedEvent(db, tenantId),
    user: await givenHostileUser(db, tenantId),
    item: await givenHostileItem(db, clock),
    marketOrder: await givenHostileOrder(db, tenantId),
  }
}

/** An approval endpoint, which no worker asks here, and 30 USDC on each of two chains. */
const givenCustody = (
  db: Db,
  { ownerId, at }: { readonly ownerId: string; readonly at: Date },
): Promise<unknown> =>
  db.transaction(async (tx) => {
    const callback = { url: 'http://127.0.0.1:9/approve', secretSealed: 'unused' }
    await writeCallback(tx, ownerId, callback, at)
    const to = { role: 'merchant', ownerId } as const
    const arrivals = ['base', 'arbitrum'].map((chain) => ({
      ...{ key: `transfer:${newId()}`, reason: 'deposit', refId: null, chain, token: 'USDC' },
      ...{ units: baseUnits(30_000_000n), debit: 'deposit_address' as const, credit: to },
    }))
    return post(tx, arrivals, at)
  })

/** Both of a batch, as a refused approval does: from Base, in USDC. */
const refundAll = (
  db: Db,
  { ownerId, at }: { readonly ownerId: string; readonly at: Date },
): Promise<unknown> =>
  db.transaction(async (tx) => {
    const refunded = await tx.query<{ id: string; units: string }>(REFUNDED, [ownerId, at])
    const postings = refunded.map(({ id, units }) => ({
      ...{ key: `withdrawal:${id}:refund`, reason: 'withdrawal_refunded', refId: id },
      ...{ chain: 'base', token: 'USDC', units: baseUnits(BigInt(units)) },
      ...{ debit: { role: 'in_flight', ownerId } as const },
      ...{ credit: { role: 'merchant', ownerId } as const },
    }))
    return post(tx, postings, at)
  })

it('every page shows hostile text as text, passes axe and fits on a phone', { skip }, async (t) => {
  const base = pagesOf(dashboard.server)
  const onPhone = await loggedIn(t, PHONE)
  assert.deepEqual(await judgePages(onPhone, { base, ids, paths: PAGES.merchant }), [])
  // Where the layout is another one.
  const onDesk = await loggedIn(t, WIDE)
  const paths = ['overview', 'trades?status=failed', 'trades/{trade}', 'users/{user}/none']
  assert.deepEqual(await judgePages(onDesk, { base, ids, paths }), [])
  // The last path is none of its page's tabs: the first one is shown, and marked.
  const marked = onDesk.page.locator('main nav a[aria-current=page]')
  assert.deepEqual(await marked.allInnerTexts(), ['Details'])
})

it('an item of the market leads to what is for sale of it, and to the command that buys the cheapest', {
  skip,
}, async (t) => {
  const { page } = await loggedIn(t)
  await page.goto(`${pagesOf(dashboard.server)}/market`)
  await page.getByRole('link', { name: MARKUP }).click()
  const rows = page.getByRole('region', { name: 'Listings' }).locator('tbody tr')
  // Asked are 10 and 20 dollars; the house takes 3 percent.
  await rows.first().waitFor()
  const [cheapest = '', dearest = ''] = await rows.allInnerTexts()
  assert.match(cheapest, /\$10\.30.*instant/s)
  assert.match(dearest, /\$20\.60.*standard/s)
  // What others want of it is seen before an order is placed.
  await page.getByText('No open orders for this item.').waitFor()
  await dashboard.database.db.query(ORDERED, [merchant.accountId, ids.item])
  await page.reload()
  await page.getByText('2 at $10.00').waitFor()
  await page.getByRole('button', { name: 'Create a market order' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Demand: 2 at $10.00').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const command = await page.locator('section pre').innerText()
  const env = { TRADE_URL: 'https://steamcommunity.com/tradeoffer/new/?partner=1&token=accept00' }
  const said = execFileSync('sh', ['-c', command.replace(/^curl /, `printf '%s\\n' `)], { env })
  const id = await rows.first().locator('code').innerText()
  assert.deepEqual(JSON.parse(said.toString().split('\n-d\n').at(-1) ?? ''), {
    externalId: `listing-${id}`,
    tradeUrl: env.TRADE_URL,
    items: [{ listingId: id, maxPrice: '10.30' }],
  })
})

it('the first page takes at most 145 kB of script as it is served, in a few files', {
  skip,
}, async (t) => {
  const { page } = await loggedIn(t)
  const scripts = new Set<string>()
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.add(request.url())
  })
  await page.goto(`${pagesOf(dashboard.server)}/overview`)
  await settled(page)
  await page.locator('svg[role=img]').first().waitFor()
  let bytes = 0
  for (const url of scripts) {
    const served = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'br' } })
    assert.equal(served.headers.get('content-encoding'), 'br')
    bytes += Number(served.headers.get('content-length'))
  }
  // Each costs a request before the page is drawn.
  assert.ok(scripts.size > 2 && scripts.size <= 5, [...scripts].join(' '))
  t.diagnostic(`${Math.round(bytes / 1000)} kB in ${scripts.size} files`)
  assert.ok(bytes <= 145_000, `${bytes} bytes`)
})

it('the overview is about days that the reader chooses, and names them as days of UTC', {
  skip,
}, async (t) => {
  const { page } = await loggedIn(t)
  const choose = page.getByRole('button', { name: 'Choose days' })
  await choose.click()
  const chosen = page.getByRole('dialog', { name: 'Choose days' })
  await chosen.getByLabel('First day').fill('2026-11-11')
  await chosen.getByLabel('Last day').fill('2026-11-17')
  await chosen.getByRole('button', { name: 'Apply' }).click()
  await page.waitForURL(/overview\?from=2026-11-11T00%3A00%3A00\.000Z&to=2026-11-17T23/)
  await settled(page)
  const chart = page.locator('figure').first()
  await chart.getByText('UTC day', { exact: true }).waitFor()
  const table = chart.locator('summary')
  assert.match((await table.getAttribute('aria-label')) ?? '', /Each bar is a UTC day\.$/)
  await table.click()
  await chart.getByRole('row').nth(7).waitFor()
  assert.equal(await chart.getByRole('row').count(), 8)
  // A span takes the place of the days.
  await page.getByRole('link', { name: '7 days' }).click()
  await page.waitForURL(/overview\?span=week$/)
  await choose.waitFor()
})

it('a name that is typed into the search leads to lists; a wrong filter in an address is called so', {
  skip,
}, async (t) => {
  const { page } = await loggedIn(t)
  await page.keyboard.press('/')
  await page.getByRole('dialog').getByRole('combobox').fill('redline')
  await page.getByRole('option', { name: 'Trades: “redline”' }).click()
  await page.waitForURL(/\/trades\?itemName=redline$/)
  await page.goto(`${pagesOf(dashboard.server)}/trades?status=lost`)
  await page.getByText('A filter in the URL of this page is invalid').waitFor()
})

it('a list of any length is filtered by its address and moved through by keyboard', {
  skip,
}, async (t) => {
  const watched = await loggedIn(t)
  const { page } = watched
  await page.getByRole('link', { name: 'Trades', exact: true }).click()
  await page.getByText('100+ rows').waitFor()
  assert.ok((await page.locator('tr[data-index]').count()) < 100)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  assert.equal(await page.evaluate(FOCUSED_ROW), '0')
  const hint = page.getByRole('tooltip')
  assert.equal(await hint.count(), 0)
  // The link of the row covers it.
  const box = await page.locator('tr[data-index="0"] time').boundingBox()
  const { x, y } = assertDefined(box, 'the place of a time')
  await page.mouse.move(x + 5, y + 5)
  assert.match(await hint.innerText(), /^2026-11-\d\d \d\d:\d\d:\d\d\.\d{3} UTC$/)
  await page.keyboard.press('Escape')
  await hint.waitFor({ state: 'detached' })
  // As far as the list goes: pages are loaded while the reader moves on.
  for (const seen of [200, 300, 400]) {
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)')
    await page.getByText(`${seen}+ rows`).waitFor()
  }
  await page.evaluate('window.scrollTo(0, 0)')
  await page.getByRole('button', { name: '+ State' }).click()
  await page.getByRole('checkbox', { name: 'failed' }).check()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.waitForURL(/\/trades\?status=failed$/)
  await page.getByRole('button', { name: 'State: failed' }).waitFor()
  await page
    .locator('td[data-label=State]', { hasText: 'completed' })
    .first()
    .waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Views' }).click()
  const views = page.getByRole('dialog', { name: 'Views' })
  await views.getByLabel('View name').fill(MARKUP)
  await views.getByRole('button', { name: 'Save this view' }).click()
  await page.getByRole('button', { name: `View: ${MARKUP}` }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear all' }).click()
  await page.waitForURL(/\/trades$/)
  await page.getByRole('button', { name: 'Views' }).click()
  await views.getByRole('button', { name: 'Rename' }).click()
  await views.getByLabel('View name').fill('Failed')
  await views.getByRole('button', { name: 'Save', exact: true }).click()
  await views.getByRole('link', { name: 'Failed' }).click()
  await page.waitForURL(/\/trades\?status=failed$/)
  await page.getByRole('button', { name: 'View: Failed' }).click()
  await views.getByRole('button', { name: 'Delete' }).click()
  await views.getByRole('button', { name: 'Delete' }).click()
  await views.getByText('No saved views yet').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/trades\/[0-9a-f-]{36}$/)
  const tradeUrl = page.url()
  await settled(page)
  await page.goBack()
  await page.getByRole('button', { name: 'State: failed' }).waitFor()
  // Who comes back goes on at the row that was opened.
  await page.locator('tr[data-index="1"] a:focus').waitFor()
  await page.keyboard.press('j')
  assert.equal(await page.evaluate(FOCUSED_ROW), '2')
  // An id that is pasted leads to its page, not to a list that it filters by name.
  await page.keyboard.press('Control+k')
  const search = page.getByRole('combobox', { name: 'Search' })
  await search.fill(tradeUrl.split('/').at(-1) ?? '')
  await search.press('Enter')
  await page.waitForURL(tradeUrl)
  await settled(page)
  assert.deepEqual(faultsOf(watched), [])
})

const FOCUSED_ROW = `document.activeElement?.closest('tr')?.dataset.index`

it('a sub-user is created, funded and suspended, and the log has each act at once', {
  skip,
}, async (t) => {
  const watched = await loggedIn(t)
  const { page } = watched
  await page.getByRole('link', { name: 'Sub-users' }).click()
  await page.getByRole('button', { name: 'Create a sub-user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('External id').fill(MARKUP)
  await dialog.getByRole('button', { name: 'Create a sub-user' }).click()
  await page.getByRole('heading', { name: MARKUP }).waitFor()
  await page.getByRole('button', { name: 'Fund', exact: true }).click()
  await dialog.getByText(/^Available: \$[\d,]+\.\d\d$/).waitFor()
  await dialog.getByLabel('Amount in USD').fill('12.34')
  await dialog.getByRole('button', { name: 'Fund', exact: true }).click()
  await page.getByText('$12.34', { exact: true }).first().waitFor()
  await page.getByRole('link', { name: 'Ledger', exact: true }).click()
  await page.getByText('+$12.34').waitFor()
  // The menu leads to the first tab, from a page whose address names another one.
  const ofUser = page.url()
  assert.match(ofUser, /\/users\/[^/]+\/ledger$/)
  await page.getByRole('link', { name: 'Wallets', exact: true }).click()
  await page.waitForURL(/\/wallets$/)
  await page.getByText('−$12.34').first().waitFor()
  // The row says who has the money now, and leads there.
  const sent = page.getByRole('row').filter({ hasText: MARKUP }).first()
  await sent.getByRole('link', { name: 'Funds sent' }).click()
  await page.waitForURL(/\/users\/[^/]+$/)
  await page.goto(ofUser.replace(/ledger$/, 'nothing'))
  await page.getByRole('heading', { name: MARKUP }).waitFor()
  await page.getByText('$12.34', { exact: true }).first().waitFor()
  // Pointing at a link loads its page ahead: here once before a change, and once while one is under way.
  const log = page.getByRole('link', { name: 'Audit log' })
  const ahead = page.waitForResponse(/\/dashboard\/api\/audit\?/)
  await log.hover()
  await (await ahead).finished()
  await page.getByRole('button', { name: 'Suspend' }).click()
  await dialog.getByRole('button', { name: 'Suspend' }).click()
  const reactivate = page.getByRole('button', { name: 'Reactivate' })
  await reactivate.waitFor()
  const held = await hold(page, '**/dashboard/api/audit?*', 'answer')
  await log.hover()
  await held.reached
  await reactivate.click()
  await dialog.getByRole('button', { name: 'Reactivate' }).click()
  await page.getByRole('button', { name: 'Suspend' }).waitFor()
  held.release()
  await log.click()
  await page.getByText('Reactivated a sub-user').waitFor()
  await page.getByText('Suspended a sub-user').waitFor()
  await page.getByText('Funded a sub-user').waitFor()
  assert.equal(await page.getByRole('button', { name: /new row/ }).count(), 0)
  assert.ok((await page.getByText(merchant.email).count()) >= 3)
  assert.deepEqual(faultsOf(watched), [])
})

/** As it is once it was sent; no worker sends anything here. */
const APPROVED = sql(
  'test.approved',
  `update payouts.withdrawal set status = 'queued', due_at = null, approved_at = $2 where id = $1`,
)
const SENT = sql(
  'test.sent',
  `update payouts.withdrawal set status = 'broadcast', tx_hash = $2, nonce = 1, broadcast_at = $3 where id = $1`,
)

it('the statement of a sub-user is on its page, and saved under its id for the month that is chosen', {
  skip,
}, async (t) => {
  const { page } = await loggedIn(t)
  const user = assertDefined(ids.user, 'a sub-user')
  await page.goto(`${pagesOf(dashboard.server)}/users/${user}`)
  const tabs = page.getByRole('navigation', { name: 'Sections' })
  await tabs.getByRole('link', { name: 'Statements' }).click()
  await page.getByRole('heading', { name: 'Spot wallet, USD' }).waitFor()
  const month = dashboard.server.clock.now().toISOString().slice(0, 7)
  for (const format of ['csv', 'pdf']) {
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: `Save ${format.toUpperCase()}` }).click()
    assert.equal((await saved).suggestedFilename(), `statement-${month}-${user}.${format}`)
  }
  await page.getByLabel('Month (UTC)').fill('2026-01')
  await page.waitForURL(/users\/[^/]+\/statements\?month=2026-01$/)
})

it('a hash leads to the explorer of its chain, and is plain text where none is known', {
  skip,
}, async (t) => {
  const { server, database } = dashboard
  const destination = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const owner = await server.loggedIn()
  const at = server.clock.now()
  await givenCustody(database.db, { ownerId: owner.accountId, at })
  const submit = async (externalId: string, chain: string, hash: string): Promise<string> => {
    const order = { chain, token: 'USDC', amountCents: 100, destination, externalId }
    const { data } = await owner.call('POST', 'payouts/withdrawals', order)
    await database.db.query(APPROVED, [data.id, at])
    await database.db.query(SENT, [data.id, hash, at])
    return data.id
  }
  const [known, unknown] = [`0x${'5c'.repeat(32)}`, `0x${'6d'.repeat(32)}`]
  const onBase = await submit('known', 'base', known)
  const elsewhere = await submit('unknown', 'arbitrum', unknown)
  const { email } = owner
  const { page } = await logInTo(t, { server, browser: dashboard.browser, email })
  await page.goto(`${pagesOf(server)}/payouts/withdrawals/${onBase}`)
  const details = page.getByRole('complementary')
  for (const [text, path] of [
    [known, `tx/${known}`],
    [destination, `address/${destination}`],
  ] as const) {
    const link = details.getByRole('link', { name: text })
    assert.equal(await link.getAttribute('href'), `https://explorer.example/${path}`)
    assert.equal(await link.getAttribute('target'), '_blank')
    assert.equal(await link.getAttribute('rel'), 'noopener noreferrer')
  }
  await page.goto(`${pagesOf(server)}/payouts/withdrawals/${elsewhere}`)
  await details.getByText(unknown).waitFor()
  assert.equal(await details.getByRole('link').count(), 0)
})

it('a batch of withdrawals from a file says what is wrong with which line, keeps its external id, and is made once it is right', {
  skip,
}, async (t) => {
  const { server, database } = dashboard
  const owner = await server.loggedIn()
  await givenCustody(database.db, { ownerId: owner.accountId, at: server.clock.now() })
  const { page } = await logInTo(t, { server, browser: dashboard.browser, email: owner.email })
  await page.goto(`${pagesOf(server)}/payouts/batch`)
  const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const head = 'externalId,chain,token,destination,amount'
  const csv = (...lines: string[]): string => [head, ...lines].join('\n')
  const text = page.getByLabel('Withdrawals as CSV')
  const reference = page.getByLabel('External id of the batch')
  const check = page.getByRole('button', { name: 'Check' })
  const problemOf = (externalId: string) =>
    page.getByRole('row').filter({ hasText: externalId }).getByRole('cell').last()
  await page.getByLabel('From a file').setInputFiles({
    ...{ name: 'payday.csv', mimeType: 'text/csv' },
    buffer: Buffer.from(csv(`first,base,USDC,${to},1.00`, `second,base,USDC,${to},x`)),
  })
  await until('the file is read', async () => (await text.inputValue()).includes('second'))
  await reference.fill('payday-1')
  await check.click()
  await problemOf('second').getByText('The amount must be US dollars').waitFor()
  await page.getByText('payday-1').waitFor()
  // What cannot be read hides neither what is wrong with others nor what they cost.
  await page.getByRole('row').filter({ hasText: 'first' }).getByText('$1.00').waitFor()
  const feeOf = (externalId: string) =>
    page.getByRole('row').filter({ hasText: externalId }).getByRole('cell').nth(5)
  assert.match(await feeOf('first').innerText(), /^\$\d/)
  await page.getByRole('button', { name: 'Edit' }).click()
  await text.fill(
    csv(`first,solana,USDC,${to},1.00`, 'second,base,USDC,0x12,1.00', `third,base,USDC,${to},1.00`),
  )
  await check.click()
  await problemOf('first').getByText('Unknown chain').waitFor()
  await problemOf('second').getByText('An address is 0x followed by 40').waitFor()
  assert.match(await feeOf('third').innerText(), /^\$\d/)
  await page.getByText('2 of these would be refused').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  assert.equal(await reference.inputValue(), 'payday-1')
  await text.fill(csv(`first,base,USDC,${to},1.00`, 'second,base,USDC,0x12,1.00'))
  await check.click()
  await problemOf('second').getByText('An address is 0x followed by 40').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await text.fill(csv(`first,base,USDC,${to},1.00`, `second,base,USDC,${to},2.00`))
  await check.click()
  await page.getByText('http://127.0.0.1:9/approve', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await reference.inputValue(), 'payday-1')
  await check.click()
  await page.getByRole('button', { name: 'Send 2 withdrawals, $3.00' }).click()
  await page.getByRole('heading', { name: 'Progress' }).waitFor()
  await page.getByText('awaiting approval').first().waitFor()
  await page.getByRole('link', { name: 'first', exact: true }).click()
  await page.getByRole('heading', { name: 'Withdrawal', exact: true }).waitFor()
  await refundAll(database.db, { ownerId: owner.accountId, at: server.clock.now() })
  await page.goBack()
  await page.reload()
  await problemOf('second').getByText('The approval endpoint refused it.').waitFor()
  const { items } = (await owner.call('GET', 'payouts/batches')).data
  assert.deepEqual(
    items.map((batch: { readonly externalId: string; readonly total: number }) => [
      batch.externalId,
      batch.total,
    ]),
    [['payday-1', 2]],
  )
  await page.goto(`${pagesOf(server)}/payouts/batch`)
  await text.fill(csv(`first,Base,USDC,${to},1.00`))
  await check.click()
  await problemOf('first').getByText('the external id first exists already').waitFor()
})

it('Escape closes the menu on a phone, and the focus returns to its button', {
  skip,
}, async (t) => {
  const { page } = await loggedIn(t, PHONE)
  const menu = page.getByRole('button', { name: 'Menu' })
  const link = page.getByRole('link', { name: 'Sub-users' })
  await menu.click()
  await link.focus()
  await page.keyboard.press('Escape')
  await link.waitFor({ state: 'hidden' })
  assert.equal(await menu.getAttribute('aria-expanded'), 'false')
  assert.equal(await page.evaluate('document.activeElement?.textContent'), 'Menu')
})

it('a short list on a phone is drawn whole: no gap stands before the number of its rows', {
  skip,
}, async (t) => {
  const { server, database } = dashboard
  const { email, accountId } = await server.person()
  for (let i = 1; i <= 30; i++) {
    await credit(database.db, { id: accountId, currency: 'USD' }, cents(BigInt(i)))
  }
  const { page } = await logInTo(t, { server, browser: dashboard.browser, email, options: PHONE })
  await page.goto(`${pagesOf(server)}/wallets`)
  await page.getByText('30 rows').waitFor()
  const rows = page.locator('tr[data-index]')
  assert.equal(await rows.count(), 30)
  const [first, second, last, count] = await Promise.all(
    [rows.nth(0), rows.nth(1), rows.nth(29), page.getByText('30 rows')].map(async (one) => {
      const box = await one.boundingBox()
      return { top: box?.y ?? 0, bottom: (box?.y ?? 0) + (box?.height ?? 0) }
    }),
  )
  assert.ok(first && second && last && count)
  assert.equal(Math.round(second.top - first.bottom), 8)
  assert.ok(count.top - last.bottom < 40, `${count.top - last.bottom} px`)
})
