// A merchant's pages in a real browser, over data that tries to break out of them: markup, formulas, text of
// both directions, very long names.
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import type { BrowserContextOptions } from 'playwright-core'
import { sql } from '../../apps/server/src/infra/db.ts'
import type { TestDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { cents } from '../../apps/server/src/kernel/money.ts'
import { credit } from '../../apps/server/src/modules/ledger/testing/wallets.ts'
import { givenManyTrades } from '../../apps/server/src/modules/trades/testing/many-trades.ts'
import { noBrowser, PHONE, type Watched } from '../support/browser.ts'
import {
  faultsOf,
  givenDashboard,
  judgePages,
  logInTo,
  pagesOf,
  settled,
} from '../support/dashboard.ts'

const skip = noBrowser
const TRADES = 2_500

const HOSTILE = [
  '<img src=x onerror="document.title=1">',
  '=cmd|"/c calc"!A0',
  '\u202Eevil\u202C \u0627\u0644\u0639\u0631\u0628\u064A\u0629',
  'x'.repeat(10_000),
  '"><script>throw 1</script>',
] as const

let merchant: { readonly email: string; readonly accountId: string }
const dashboard = givenDashboard(async ({ database, server }) => {
  merchant = await server.person()
  await seedHostileData(database.db, { tenantId: merchant.accountId, now: server.clock.now() })
})

/** A browser of its own, logged in as the merchant. */
const loggedIn = (t: TestContext, options?: BrowserContextOptions): Promise<Watched> =>
  logInTo(t, {
    server: dashboard.server,
    browser: dashboard.browser,
    email: merchant.email,
    ...(options && { options }),
  })

const SPOIL = sql(
  'test_spoil_trades',
  `with spoiled as (
     select id, ($2::text[])[1 + (row_number() over (order by id desc) - 1) % 5] name from trades.trade where tenant_id = $1
     order by id desc limit 25),
   items as (
     update trades.item i set description = description || jsonb_build_object('marketHashName', s.name, 'name', s.name)
     from spoiled s where i.trade_id = s.id)
   update trades.trade t set external_id = left(s.name, 100) || t.id from spoiled s where t.id = s.id returning t.id`,
)
const ENDPOINT = sql(
  'test_endpoint',
  `with endpoint as (
     insert into webhooks.endpoint (tenant_id, url, secret_sealed, created_at, updated_at)
     values ($1, 'https://example.com/hook', 'x', now(), now()) returning id),
   delivery as (
     insert into webhooks.delivery (endpoint_id, event_id, event_type, tenant_id, account_id, subject_id, payload,
       status, attempts, due_at, created_at, finished_at)
     select id, 1, 'trade.initiated', $1, $1, $1, '{}', 'delivered', 1, now(), now(), now() from endpoint returning id)
   insert into webhooks.attempt (delivery_id, number, manual, started_at, duration_ms, request_headers, request_body,
     response_status, response_body)
   select id, 1, false, now(), 12, jsonb_build_object('x-name', $2::text), $2, 500, $2 from delivery
   returning delivery_id "deliveryId"`,
)

let tradeId = ''
let deliveryId = ''

async function seedHostileData(
  db: TestDatabase['db'],
  { tenantId, now }: { readonly tenantId: string; readonly now: Date },
): Promise<void> {
  const from = new Date(now.getTime() - 10 * 86_400_000)
  await givenManyTrades(db, { tenantId, count: TRADES, from, everySeconds: 300 })
  const [trade] = await db.query<{ id: string }>(SPOIL, [tenantId, HOSTILE])
  tradeId = trade?.id ?? ''
  const [attempt] = await db.query<{ deliveryId: string }>(ENDPOINT, [tenantId, HOSTILE.join('\n')])
  deliveryId = attempt?.deliveryId ?? ''
  await credit(db, { id: tenantId, currency: 'USD' }, cents(500_000n))
}

it('every page shows hostile text as text, passes axe and fits on a phone', { skip }, async (t) => {
  const paths = [
    ...['overview', 'trades', `trades/${tradeId}`, `trades/${tradeId}/items`],
    ...[`trades/${tradeId}/money`, `trades/${tradeId}/deliveries`, 'trades?status=failed'],
    ...['webhook/deliveries', `webhook/deliveries/${deliveryId}`, 'wallets'],
    ...['users', 'events', 'audit', 'limits', 'fees', 'market', 'wallets/earnings'],
  ]
  const onPhone = await loggedIn(t, PHONE)
  await judgePages(onPhone, pagesOf(dashboard.server), paths)
  // Where the layout is another one.
  const wide = { viewport: { width: 1440, height: 900 } }
  const onDesk = await loggedIn(t, wide)
  await judgePages(onDesk, pagesOf(dashboard.server), [
    'overview',
    'trades?status=failed',
    `trades/${tradeId}`,
  ])
})

it('the first page takes at most 180 kB of compressed script', { skip }, async (t) => {
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
    bytes += brotliCompressSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length
  }
  assert.ok(scripts.size > 2)
  t.diagnostic(`${Math.round(bytes / 1000)} kB in ${scripts.size} files`)
  assert.ok(bytes <= 180_000, `${bytes} bytes`)
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
  // As far as the list goes: pages are loaded while the reader moves on.
  for (const seen of [200, 300, 400]) {
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)')
    await page.getByText(`${seen}+ rows`).waitFor()
  }
  await page.evaluate('window.scrollTo(0, 0)')
  await page.getByRole('button', { name: '+ State' }).click()
  await page.getByRole('radio', { name: 'failed' }).check()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.waitForURL(/\/trades\?status=failed$/)
  await page.getByRole('button', { name: 'State: failed' }).waitFor()
  await page
    .locator('td[data-label=State]', { hasText: 'completed' })
    .first()
    .waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Views' }).click()
  const views = page.getByRole('dialog', { name: 'Views' })
  await views.getByLabel('Name of the view').fill(HOSTILE[0])
  await views.getByRole('button', { name: 'Save this view' }).click()
  await page.getByRole('button', { name: `View: ${HOSTILE[0]}` }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear all' }).click()
  await page.waitForURL(/\/trades$/)
  await page.getByRole('button', { name: 'Views' }).click()
  await views.getByRole('button', { name: 'Rename' }).click()
  await views.getByLabel('Name of the view').fill('Failed')
  await views.getByRole('button', { name: 'Save', exact: true }).click()
  await views.getByRole('link', { name: 'Failed' }).click()
  await page.waitForURL(/\/trades\?status=failed$/)
  await page.getByRole('button', { name: 'View: Failed' }).click()
  await views.getByRole('button', { name: 'Delete' }).click()
  await views.getByRole('button', { name: 'Delete' }).click()
  await views.getByText('No saved view yet').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/trades\/[0-9a-f-]{36}$/)
  await settled(page)
  await page.goBack()
  await page.getByRole('button', { name: 'State: failed' }).waitFor()
  assert.deepEqual(faultsOf(watched), [])
})

const FOCUSED_ROW = `document.activeElement?.closest('tr')?.dataset.index`

it('a sub-user is created, funded and suspended, and the log says by whom', { skip }, async (t) => {
  const watched = await loggedIn(t)
  const { page } = watched
  await page.getByRole('link', { name: 'Sub-users' }).click()
  await page.getByRole('button', { name: 'Create a sub-user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('External id').fill(HOSTILE[0])
  await dialog.getByRole('button', { name: 'Create a sub-user' }).click()
  await page.getByRole('heading', { name: HOSTILE[0] }).waitFor()
  await page.getByRole('button', { name: 'Fund' }).click()
  await dialog.getByLabel('Amount in USD').fill('12.34')
  await dialog.getByRole('button', { name: 'Fund' }).click()
  await page.getByText('$12.34').waitFor()
  await page.getByRole('link', { name: 'Ledger', exact: true }).click()
  await page.getByText('+$12.34').waitFor()
  await page.getByRole('button', { name: 'Suspend' }).click()
  await dialog.getByRole('button', { name: 'Suspend' }).click()
  await page.getByRole('button', { name: 'Reactivate' }).waitFor()
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByText('sub_user.suspend').waitFor()
  await page.getByText('sub_user.fund').waitFor()
  assert.ok((await page.getByText(merchant.email).count()) >= 3)
  assert.deepEqual(faultsOf(watched), [])
})
