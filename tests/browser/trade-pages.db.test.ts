// The pages of a merchant's trades in a real browser: whose a trade is, and how its items ended.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { TRADE_FAILURES } from '@tradepost/contract'
import { type Db, sql } from '../../apps/server/src/infra/database/db.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { aSubUser } from '../../apps/server/src/modules/accounts/identity/testing/accounts.ts'
import { givenManyTrades } from '../../apps/server/src/modules/trading/trades/testing/many-trades.ts'
import { noBrowser } from '../support/browser.ts'
import { givenDashboard, logInTo, pagesOf, settled } from '../support/dashboard.ts'

const dashboard = givenDashboard()

/** Of the declined item, what its market says of it. */
const SAY = sql(
  'test.say',
  `update trades.item i set failure_code = 'OFFER_NOT_ACCEPTED', failure_detail = $2 from trades.trade t
   where t.id = i.trade_id and t.tenant_id = $1 and i.status = 'declined'`,
)

/** Of a trade, its item becomes two of one name: the first one was declined, the user reversed the second. */
const TWO_ENDS = sql(
  'test.two_ends',
  `with trade as (
     update trades.trade set status = 'reverted', item_count = 2, total = 2100, earned = 0 where tenant_id = $1
     returning id),
   first as (
     update trades.item i set status = 'declined', settled_at = null, merchant_earned = null, refunded = 1029,
       penalty = 21 from trade where i.trade_id = trade.id returning i.*)
   insert into trades.item (id, trade_id, position, catalog_item_id, description, price, house_fee, merchant_fee,
     status, reverted_by, refunded, penalty, hold_ends_at, status_at)
   select $2, trade_id, 2, catalog_item_id, description, price, house_fee, merchant_fee, 'reverted', 'user', 0, 1050,
     status_at + interval '7 days', status_at from first`,
)

async function givenEnds(db: Db, tenantId: string, at: Date): Promise<void> {
  const { id: accountId } = await aSubUser(db, tenantId, { externalId: 'clara' })
  await givenManyTrades(db, { tenantId, accountId, count: 1, from: at })
  await db.query(TWO_ENDS, [tenantId, newId()])
}

it('a failed item says in a sentence why it failed, on its page and in its timeline', {
  skip: noBrowser,
}, async (t) => {
  const { server, browser, database } = dashboard
  const { email, accountId } = await server.person()
  await givenManyTrades(database.db, { tenantId: accountId, count: 4, from: server.clock.now() })
  const { page } = await logInTo(t, { server, browser, email })
  await page.goto(`${pagesOf(server)}/trades?status=failed`)
  await page.getByRole('link', { name: 'AK-47 | Redline' }).first().click()
  const why = page.getByRole('link', { name: TRADE_FAILURES.PURCHASE_FAILED })
  await why.first().waitFor()
  assert.match((await why.first().getAttribute('href')) ?? '', /errors-and-retries/)
  assert.doesNotMatch(await page.locator('main').innerText(), /PURCHASE_FAILED/)
  await page.getByRole('link', { name: 'Items', exact: true }).click()
  await page.getByRole('row').filter({ has: why }).waitFor()
  await settled(page)
})

it('a trade names its sub-user, numbers its items of one name, and says why a penalty was kept', {
  skip: noBrowser,
}, async (t) => {
  const { server, browser, database } = dashboard
  const { email, accountId } = await server.person()
  await givenEnds(database.db, accountId, server.clock.now())
  const { page } = await logInTo(t, { server, browser, email })
  await page.goto(`${pagesOf(server)}/trades`)
  const row = page.getByRole('row').filter({ hasText: 'The Oldest One + 1 more' })
  assert.match((await row.getByRole('link', { name: 'clara' }).getAttribute('href')) ?? '', /users/)
  await row.getByRole('link', { name: 'The Oldest One' }).click()
  await page.getByRole('heading', { level: 1, name: 'The Oldest One + 1 more' }).waitFor()
  await page.getByRole('heading', { name: 'Where it stands' }).waitFor()
  const said = await page.locator('main').innerText()
  assert.match(said, /item 1 · The Oldest One: back with its seller/)
  assert.match(said, /\$0\.21 was kept, as the offer was declined or expired/)
  assert.match(said, /item 2 · The Oldest One: sent back by the user/)
  assert.match(said, /\$10\.50 was kept, as the user reversed the delivery/)
  assert.equal(await page.getByText('Hold ends').count(), 0)
  await page.getByRole('link', { name: 'Items', exact: true }).click()
  await page.getByText('penalty $10.50: reversed by its user').waitFor()
  await page.getByText('penalty $0.21: offer declined or expired').waitFor()
  await settled(page)
})

it('a declined item says whether its buyer declined the offer, where the market does', {
  skip: noBrowser,
}, async (t) => {
  const { server, browser, database } = dashboard
  const { email, accountId } = await server.person()
  await givenEnds(database.db, accountId, server.clock.now())
  const { page } = await logInTo(t, { server, browser, email })
  const open = async (words: string): Promise<void> => {
    await database.db.query(SAY, [accountId, words])
    await page.goto(`${pagesOf(server)}/trades`)
    await page.getByRole('link', { name: 'The Oldest One' }).click()
  }
  await open('status 6: declined')
  await page.getByText('The user declined the trade offer.').waitFor()
  await page.getByText('Details', { exact: true }).click()
  await page.getByText('In the market’s words: status 6: declined').waitFor()
  await open('status 6: Buyer failed to accept')
  await page.getByText(TRADE_FAILURES.OFFER_NOT_ACCEPTED).first().waitFor()
  await page.getByText('The market does not say whether the user declined it').waitFor()
  await settled(page)
})
