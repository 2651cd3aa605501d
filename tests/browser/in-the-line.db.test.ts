// What a page says in the line where a reader looks: in forms, without a network, and beside what waits.
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { webhookEvents } from '@tradepost/contract'
import type { Page } from 'playwright-core'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { recordAct } from '../../apps/server/src/modules/accounts/audit/index.ts'
import { aSubUser } from '../../apps/server/src/modules/accounts/identity/testing/accounts.ts'
import { givenWithdrawal } from '../../apps/server/src/modules/crypto/payouts/testing/withdrawals.ts'
import { givenManyTrades } from '../../apps/server/src/modules/trading/trades/testing/many-trades.ts'
import { hold, noBrowser, open as openIn } from '../support/browser.ts'
import {
  closeSecret,
  giveLogin,
  givenDashboard,
  logInTo,
  pagesOf,
  settled,
} from '../support/dashboard.ts'
import { givenHostileDelivery } from '../support/hostile-data.ts'

const skip = noBrowser
const dashboard = givenDashboard()
const LAPTOP = { viewport: { width: 1280, height: 800 } }
const UNREACHED = 'Cannot reach the service. Check your connection, then try again.'

const HELD = sql(
  'test_held_in_line',
  `update payouts.withdrawal set status = 'queued', held_reason = 'over_transaction_limit', due_at = null,
     approved_at = $2 where id = $1`,
)

const TYPED = sql(
  'test_typed_delivery',
  'update webhooks.delivery set event_type = $2 where tenant_id = $1',
)

async function pageOf(t: TestContext, email: string): Promise<Page> {
  const { server, browser } = dashboard
  return (await logInTo(t, { server, browser, email, options: LAPTOP })).page
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${pagesOf(dashboard.server)}/${path}`)
  await settled(page)
}

it('an amount of zero or below, and what is no network, is answered in the words of the field', {
  skip,
}, async (t) => {
  const { server, database } = dashboard
  const { email, accountId } = await server.person()
  const { id } = await aSubUser(database.db, accountId, { externalId: 'clara' })
  const page = await pageOf(t, email)
  const dialog = page.getByRole('dialog')
  await open(page, `users/${id}`)
  await page.getByRole('button', { name: 'Fund', exact: true }).click()
  for (const amount of ['0', '0.00', '-5', '\u22125.00']) {
    await dialog.getByLabel('Amount in USD').fill(amount)
    await dialog.getByRole('button', { name: 'Fund', exact: true }).click()
    await dialog.getByText('At least 0.01.').waitFor()
  }
  for (const way of ['deposits/new', 'deposits/new/gateway']) {
    await open(page, way)
    await page.getByLabel(/^Amount/).fill('0')
    await page.getByRole('button', { name: 'Quote' }).click()
    await page.getByText('At least 0.01.').waitFor()
  }
  await open(page, 'keys')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await dialog.getByLabel('Name').fill('one')
  await dialog.getByLabel('Allowed networks (optional)').fill('203.0.113.7 10.0.0.0/33')
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  await dialog.getByText('Enter addresses such as').waitFor()
})

it('what else is refused of a field that says its form is answered in words of its own', {
  skip,
}, async (t) => {
  const { email } = await dashboard.server.person()
  const page = await pageOf(t, email)
  const dialog = page.getByRole('dialog')
  await open(page, 'keys')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await dialog.getByLabel('Name').fill('one')
  const networks = Array.from({ length: 101 }, (_, i) => `203.0.113.${i}`).join(' ')
  await dialog.getByLabel('Allowed networks (optional)').fill(networks)
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  await dialog.getByText('must contain at most 100 elements').waitFor()
})

it('a saved form says so', { skip }, async (t) => {
  const { email } = await dashboard.server.person()
  const page = await pageOf(t, email)
  const saved = page.getByRole('status').filter({ hasText: 'Saved.' })
  await open(page, 'wallets')
  await page.getByRole('button', { name: 'Low-balance alert' }).click()
  await page.getByRole('dialog').getByLabel('Amount in USD').fill('5.00')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await saved.waitFor()
})

it('a dialog that changes something says that it was done, and one that only asks on does not', {
  skip,
}, async (t) => {
  const { server } = dashboard
  const { email, accountId } = await server.person()
  const page = await pageOf(t, email)
  const dialog = page.getByRole('dialog')
  const said = (on: Page, text: string) => on.getByRole('status').filter({ hasText: text })
  await open(page, 'keys')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await dialog.getByLabel('Name').fill('one')
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  await closeSecret(dialog)
  await page.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await said(page, 'Key revoked.').waitFor()

  const admin = await pageOf(t, (await server.person('administrator')).email)
  const asked = admin.getByRole('dialog')
  await open(admin, 'admin/adjustments')
  await admin.getByRole('button', { name: 'Propose an adjustment' }).click()
  for (const [label, value] of Object.entries({ Account: accountId, Amount: '5.00' }))
    await asked.getByLabel(label, { exact: true }).fill(value)
  await asked.getByLabel('Reference').fill('transfer 1')
  await asked.getByLabel('Reason').fill('a bank transfer')
  await asked.getByRole('button', { name: 'Show the posting' }).click()
  await asked.getByRole('button', { name: 'Propose this posting' }).waitFor()
  assert.equal(await said(admin, 'Posting proposed.').count(), 0)
  await asked.getByRole('button', { name: 'Propose this posting' }).click()
  await said(admin, 'Posting proposed.').waitFor()
  await open(admin, `admin/accounts?q=${accountId}`)
  for (const [act, done] of [
    ['Suspend', 'suspended.'],
    ['Reactivate', 'reactivated.'],
  ] as const) {
    await admin.getByRole('button', { name: act }).click()
    await asked.getByLabel('Reason').fill('they asked for it')
    await asked.getByRole('button', { name: act }).click()
    await said(admin, done).waitFor()
  }
})

it('without a network, or an answer, a page says that the service cannot be reached', {
  skip,
}, async (t) => {
  const { email } = await dashboard.server.person()
  const page = await pageOf(t, email)
  await open(page, 'overview')
  const held = await hold(page, '**/dashboard/api/audit?*', 'request')
  await page.getByRole('link', { name: 'Audit log' }).click()
  await held.reached
  await page.getByText(UNREACHED).waitFor()
  held.release()
  await page.getByText(UNREACHED).waitFor({ state: 'detached' })
  await open(page, 'overview')
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Trades', exact: true }).click()
  await page.getByText(UNREACHED).waitFor()
})

it('the very first page says that the service cannot be reached, and is shown when it can', {
  skip,
}, async (t) => {
  const { email } = await dashboard.server.person()
  const page = await pageOf(t, email)
  const held = await hold(page, '**/dashboard/api/session', 'request')
  await page.goto(`${pagesOf(dashboard.server)}/overview`)
  await held.reached
  await page.getByText(UNREACHED).waitFor()
  held.release()
  await page.locator('main#content').waitFor()
  assert.equal(await page.getByText(UNREACHED).count(), 0)
  await hold(page, '**/dashboard/api/session', 'request')
  await page.reload()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('main#content').waitFor()
})

it('a page before a login says that the service cannot be reached, and what was typed is sent again', {
  skip,
}, async (t) => {
  const { server, browser } = dashboard
  const { email } = await server.person()
  server.nextMinute()
  const { page } = await openIn(t, { browser, url: `${pagesOf(server)}/login` })
  await hold(page, '**/dashboard/api/auth/login', 'request')
  await giveLogin(page, email)
  await page.getByText(UNREACHED).waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('alert').getByText(UNREACHED).waitFor()
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.locator('main#content').waitFor()
  const anonymous = (await openIn(t, { browser, url: `${pagesOf(server)}/login` })).page
  const code = await hold(anonymous, '**/assets/register-*.js', 'request')
  await anonymous.getByRole('link', { name: 'Create an account' }).click()
  await anonymous.getByText(UNREACHED).waitFor()
  code.release()
  await anonymous.getByRole('button', { name: 'Register' }).waitFor()
  const sent = await hold(anonymous, '**/dashboard/api/auth/invitation', 'request')
  await anonymous.goto(`${pagesOf(server)}/invitation#token=none`)
  await anonymous.getByText(UNREACHED).waitFor()
  sent.release()
  await anonymous.getByText(UNREACHED).waitFor({ state: 'detached' })
})

it('“Decide” of a held deposit leads to the deposit, where it is decided and said', {
  skip,
}, async (t) => {
  const { server } = dashboard
  const { deposits } = server
  const { accountId } = await server.person()
  const { id } = await deposits.given({ accountId, tenantId: accountId, currency: 'USD' })
  deposits.gateway.pay(id, '200000', { state: 'paid' })
  await deposits.follow()
  const page = await pageOf(t, (await server.person('administrator')).email)
  await open(page, 'admin/held-payments')
  assert.deepEqual(await widthsOf(page), [0])
  await page.getByRole('link', { name: 'Decide' }).click()
  await page.waitForURL(new RegExp(`/admin/deposits/${id}$`))
  await page.getByRole('button', { name: 'Refuse' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Its money stays with the provider.').waitFor()
  await dialog.getByLabel('Reason').fill('the payer has called')
  await dialog.getByRole('button', { name: 'Refuse' }).click()
  await page.getByRole('status').filter({ hasText: 'Refused.' }).waitFor()
  await page.getByText('the payer has called').waitFor()
  assert.equal(await page.getByText('It waits for an administrator').count(), 0)
})

it('a row of withdrawals that wait fits 1,280 px, and “Decide” leads to the withdrawal, where it is decided', {
  skip,
}, async (t) => {
  const { server, database } = dashboard
  const { accountId } = await server.person()
  const at = server.clock.now()
  const { id } = await givenWithdrawal(database.db, {
    merchantId: accountId,
    externalId: 'w-1',
    at,
  })
  await database.db.query(HELD, [id, at])
  const page = await pageOf(t, (await server.person('administrator')).email)
  await open(page, 'admin/withdrawals')
  assert.deepEqual(await widthsOf(page), [0])
  await page.getByRole('link', { name: 'Decide' }).click()
  await page.waitForURL(new RegExp(`/admin/withdrawals/${id}$`))
  await page.getByRole('button', { name: 'Refuse' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('the merchant has called')
  await dialog.getByRole('button', { name: 'Refuse' }).click()
  await page.getByText('It is refunded.').waitFor()
  await page.getByText('Refused by an operator').waitFor()
})

it('the longest type of an event is read whole in the list of deliveries at 1,280 px', {
  skip,
}, async (t) => {
  const { server, database } = dashboard
  const { email, accountId } = await server.person()
  await givenHostileDelivery(database.db, accountId)
  const types = Object.keys(webhookEvents)
  const [longest = ''] = types.toSorted((one, other) => other.length - one.length)
  await database.db.query(TYPED, [accountId, longest])
  const page = await pageOf(t, email)
  await open(page, 'webhook/deliveries')
  const cell = page.getByRole('cell', { name: longest, exact: true }).locator('> div')
  const cut = await cell.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
  assert.equal(cut, 0)
})

it('an administrator’s trade shows its items whole at 1,280 px', { skip }, async (t) => {
  const { server, database } = dashboard
  const { accountId } = await server.person()
  await givenManyTrades(database.db, { tenantId: accountId, count: 4, from: server.clock.now() })
  const name = '★ StatTrak™ Skeleton Knife | Crimson Web (Field-Tested)'
  const [trade] = await database.db.query<{ id: string }>(TRADE, [accountId, name])
  const page = await pageOf(t, (await server.person('administrator')).email)
  await open(page, `admin/trades/${trade?.id}`)
  assert.deepEqual([...new Set(await widthsOf(page))], [0])
})

it('rows of an audit log show a field by its name, changed or not, and in one order of columns', {
  skip,
}, async (t) => {
  const { server, database } = dashboard
  const { email, accountId } = await server.person()
  await database.db.transaction((tx) =>
    recordAct(tx, {
      actor: { kind: 'operator', id: 'root', request: {} },
      act: 'account.set_fees',
      subject: { type: 'account', id: accountId },
      details: { feeBps: 250, buyFeeBps: 100, reason: 'agreed' },
      changes: { feeBps: { from: 300, to: 250 } },
      at: server.clock.now(),
    }),
  )
  const admin = await pageOf(t, (await server.person('administrator')).email)
  await open(admin, `admin/audit-log?accountId=${accountId}`)
  const own = await pageOf(t, email)
  await open(own, 'audit')
  for (const page of [admin, own]) {
    const row = page.getByRole('row').filter({ hasText: 'Changed fees' })
    await row
      .getByText('Service fee: 3.00% → 2.50% · Reason: agreed · Own fee on buys: 1.00%')
      .waitFor()
    assert.deepEqual(await page.locator('thead th').allInnerTexts(), [
      ...['Action', 'Who', 'About', 'Changes', 'Time'],
    ])
  }
})

/** With the longest of what the column of orders shows. */
const TRADE = sql(
  'test_trade_in_line',
  `with bought as (
     update trades.item i set offer_id = '76543210987', failure_code = 'TRADE_CANCEL_PENDING', description = description || jsonb_build_object('marketHashName', $2::text)
     from trades.trade t where t.id = i.trade_id and t.tenant_id = $1 and i.status = 'failed' returning i.id, i.trade_id),
   of_market as (
     insert into buying.item (id, trade_id, tenant_id, account_id, listing_id, market, raw_listing_id, sourcing_mills, work,
       is_live, due_at, created_at)
     select id, trade_id, $1, $1, 1, 'market_a', 'raw', 1000, 'none', false, '2100-01-01', now() from bought returning id),
   ordered as (
     insert into buying.supplier_order (item_id, market, custom_id, state, sent_at, order_id)
     select id, 'market_a', gen_random_uuid()::text, 'placed', now(), gen_random_uuid()::text from of_market)
   select trade_id id from bought`,
)

/** By how many pixels each table is wider than its place. */
const widthsOf = (page: Page): Promise<number[]> =>
  page
    .locator('section:has(> table)')
    .evaluateAll((places) =>
      places.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
    )
