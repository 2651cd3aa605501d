// Journeys of people through the pages, against the whole service with its sandbox: real mail, a real chain,
// real markets, and an endpoint of the merchant's own.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { after, before, it } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { launch, noBrowser, open, PHONE } from '../support/browser.ts'
import { type Client, createClient } from '../support/client.ts'
import { addEndpoint, closeSecret, faultsOf, giveLogin, settled } from '../support/dashboard.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { buyNext, linkSeller, sellItems, stock, tradeUrl, untilEnded } from '../support/trading.ts'
import { until } from '../support/until.ts'
import { answerWith, type Receiver, startReceiver } from '../webhooks/receiver.ts'

const CHAIN = 'ethereum'
const TOKEN = 'USDC'
const DESTINATION = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const SHOP = { email: 'shop@example.com', password: 'four calm northern lights' } as const
const SLOW = { deadlineMs: 60_000 }

let browser: Browser
let stack: Stack
/** The endpoint of the merchant that registers here. */
let endpoint: Receiver
/** The same merchant by its key, after the first journey. */
let shop: Client
let keyOfShop = ''
const skip = noBrowser

before(async () => {
  if (skip) return
  endpoint = await startReceiver()
  stack = await startStack(await testDatabase({ poolSize: 2 }), { SANDBOX_CHAINS: CHAIN })
  browser = await launch()
})

after(async () => {
  await browser?.close()
  await endpoint?.close()
  await stack?.close()
})

const go = (page: Page, path: string) => page.goto(`${stack.demo.dashboardUrl}/${path}`)

/** A browser of its own, logged in as the merchant that registered. */
async function asShop(t: Parameters<typeof open>[0], options: BrowserContextOptions = {}) {
  const watched = await open(t, { browser, url: `${stack.demo.dashboardUrl}/login`, options })
  await giveLogin(watched.page, SHOP.email, SHOP.password)
  await watched.page.locator('main#content').waitFor()
  return watched
}

/** The link of the latest message to an address. */
const linkTo = (address: string, path: string): Promise<string> =>
  until(`the message with ${path}`, async () => {
    const answer = await fetch(`${stack.demo.sandboxUrl}/control/mail`)
    const { items } = (await answer.json()) as {
      items: { body: { to: string[]; text: string } }[]
    }
    const found = items.flatMap(({ body }) =>
      body.to.includes(address) ? (body.text.match(`http\\S+/${path}#token=\\S+`) ?? []) : [],
    )
    return found[0]
  })

/** Where a link of the page leads. */
const leadsTo = async (page: Page, name: string): Promise<string> =>
  (await page.getByRole('link', { name }).getAttribute('href')) ?? ''

/** What the last of these commands is answered, in one shell, in a folder without anything of ours. */
async function pasted(commands: readonly string[]) {
  const env = { PATH: process.env.PATH, TRADEPOST_API_KEY: keyOfShop }
  const { stdout } = await promisify(execFile)('sh', ['-c', commands.join('\n')], {
    ...{ cwd: tmpdir(), env },
  })
  return JSON.parse(stdout)
}

/** Pays tokens to an address on the sandbox's chain. */
async function payTo(address: string, amount: string): Promise<void> {
  const paid = await fetch(`${stack.demo.sandboxUrl}/control/chains/${CHAIN}/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address, token: TOKEN, amount }),
  })
  assert.equal(paid.status, 200)
}

it('a merchant registers, pays in, and buys with its first key; the page of the trade explains it', {
  skip,
}, async (t) => {
  const watched = await open(t, { browser, url: `${stack.demo.dashboardUrl}/register` })
  const { page } = watched
  await page.getByLabel('Email', { exact: true }).fill(SHOP.email)
  await page.getByLabel('Password').fill(SHOP.password)
  await page.getByRole('button', { name: 'Register' }).click()
  assert.equal(await leadsTo(page, 'Open the mail'), `${stack.demo.sandboxUrl}/#mail/newest`)
  await page.goto(await linkTo(SHOP.email, 'verify-email'))
  await page.getByRole('button', { name: 'Confirm email' }).click()
  // In the browser that registered it also logs in, to the first steps.
  await page.waitForURL('**/overview')
  await page.getByRole('listitem').filter({ hasText: 'Add a passkey' }).waitFor()
  assert.equal(await leadsTo(page, 'Sandbox console'), `${stack.demo.sandboxUrl}/`)
  assert.equal(await leadsTo(page, 'Make your first purchase'), '/dashboard/market')
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('shop')
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  keyOfShop = await dialog.locator('code').first().innerText()
  await closeSecret(dialog)
  shop = createClient({ baseUrl: stack.demo.baseUrl, apiKey: keyOfShop })

  await page.getByRole('link', { name: 'Overview' }).click()
  const payIn = page.getByRole('listitem').filter({ hasText: 'Deposit money' }).locator('pre')
  await payIn.last().waitFor()
  const created = await pasted(await payIn.allInnerTexts())
  assert.equal(created.success, true, JSON.stringify(created))
  await go(page, `deposits/${created.data.fundingId}`)
  const payHere = await leadsTo(page, 'Pay in the sandbox console')
  assert.equal(payHere, `${stack.demo.sandboxUrl}/#gateway`)
  const sandboxPage = await page.context().newPage()
  await sandboxPage.goto(payHere)
  await sandboxPage.getByRole('button', { name: 'pay', exact: true }).click()
  const untilCredited = (atLeast: number) =>
    until(
      `the wallet has ${atLeast}`,
      async () => (await shop.get('getWallet')).balance > atLeast,
      SLOW,
    )
  await untilCredited(99)
  await sandboxPage.close()
  await page.getByRole('link', { name: 'Deposits' }).first().click()
  await page.getByRole('button', { name: 'Deposit', exact: true }).click()
  await page.getByRole('link', { name: 'Crypto, your address' }).click()
  await payTo(await page.locator('main code', { hasText: /^0x/ }).innerText(), '50')
  await untilCredited(148)
  await go(page, 'deposits')
  await page.getByRole('cell', { name: 'completed' }).nth(1).waitFor()

  const waits = countWaits(page)
  const tab = await page.context().newPage()
  for (const each of [page, tab]) {
    await go(each, 'trades')
    await each.getByText('No trades yet').waitFor()
  }
  const supply = await stock(stack.control, 'market_a')
  const bought = await buyNext(shop, { market: 'market_a', supply, externalId: 'order-1' })
  // Both tabs learn of it, and one of them waits for both.
  for (const each of [page, tab]) await each.getByText('1 new row').waitFor()
  assert.equal(waits.most, 1)
  await tab.close()
  const ended = await untilEnded(shop, bought.receipt.id)
  assert.equal(ended.status, 'completed')
  await page.keyboard.press('/')
  await page.getByRole('dialog').getByRole('combobox').fill('order-1')
  await page.getByRole('option', { name: /^Trade / }).click()
  await page.waitForURL(`**/trades/${ended.id}`)
  await page.getByRole('heading', { name: bought.listing.marketHashName }).waitFor()
  for (const step of ['Requested', 'Offered', 'Accepted, on hold', 'Delivered and settled']) {
    await page.getByRole('main').getByText(step, { exact: true }).first().waitFor()
  }
  await page.getByRole('link', { name: 'Money', exact: true }).click()
  await page.getByRole('cell', { name: 'escrow' }).first().waitFor()

  // The key has its requests, and the buy leads to its trade.
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('link', { name: 'shop', exact: true }).click()
  const buy = page.getByRole('row').filter({ hasText: 'POST /market/buy' })
  await until('the buy is listed', async () => {
    await page.reload()
    await settled(page)
    return (await buy.count()) === 1
  })
  await buy.getByText('200', { exact: true }).waitFor()
  await buy.getByRole('link').click()
  await page.waitForURL(`**/trades/${ended.id}`)

  await go(page, 'overview')
  for (const step of ['Create an API key', 'Deposit money', 'Make your first purchase']) {
    const line = page.getByRole('listitem').filter({ hasText: step })
    await line.getByText('done', { exact: true }).waitFor()
  }
  assert.deepEqual(faultsOf(watched), [])
})

it('the command on the page of an item buys it for a buyer of the sandbox, pasted as it stands', {
  skip,
}, async (t) => {
  const { page } = await asShop(t)
  const query = { inStock: true, maxPrice: '20.00', limit: 1 }
  const { items } = await shop.get('searchMarket', { query })
  await go(page, `market/${items[0]?.id}`)
  const command = page.locator('section pre')
  // A listing may be sold while its command is copied: the page then shows the next one.
  const bought = await until('the command buys', async () => {
    const { success, data } = await pasted([await command.innerText()])
    return success && data
  })
  assert.equal((await untilEnded(shop, bought.id)).status, 'completed')
})

it('on a phone the page of an item shows five listings, and folds the others and the price history', {
  skip,
}, async (t) => {
  const watched = await asShop(t, PHONE)
  const { page } = watched
  const { items } = await shop.get('searchMarket', { query: { inStock: true, limit: 100 } })
  const item = items.find(({ listingsCount = 0 }) => listingsCount > 6)
  assert.ok(item, 'an item with more than six listings')
  await go(page, `market/${item.id}`)
  const rows = page.getByRole('region', { name: 'Listings', exact: true }).locator('tbody tr')
  await rows.first().waitFor()
  const others = page.getByRole('region', { name: 'Other listings' }).locator('tbody tr')
  assert.deepEqual([await rows.count(), await others.first().isVisible()], [5, false])
  await page.getByText(/^\d+ more listings?$/).click()
  await others.first().waitFor()
  const chart = page.getByRole('figure').filter({ hasText: 'Price history' })
  assert.equal(await chart.isVisible(), false)
  await page.locator('summary', { hasText: 'Price history' }).click()
  await chart.waitFor()
  assert.deepEqual(faultsOf(watched), [])
})

it('the market is searched as one types, shows pictures of our own, and follows a price as it changes', {
  skip,
}, async (t) => {
  const watched = await asShop(t)
  const { page } = watched
  await go(page, 'market')
  const [listing] = await stack.control.listings('market_a', 1)
  assert.ok(listing)
  const name = listing.marketHashName
  await page.getByRole('searchbox', { name: 'Search items' }).pressSequentially(name)
  await page.waitForURL(({ searchParams }) => searchParams.get('q') === name)
  const row = page.getByRole('row', { name })
  await row.first().waitFor()
  // A worker fetches it now, from the sandbox, and draws it anew.
  const picture = row.locator('img[data-there]').first()
  await picture.waitFor({ timeout: 30_000 })
  assert.match((await picture.getAttribute('src')) ?? '', /^\/assets\/items\/[0-9a-f]{16}\/64$/)
  await row.getByRole('link').first().click()
  await page.getByRole('region', { name: 'Listings' }).locator('tbody tr').first().waitFor()
  await page.locator('img[src$="/256"][data-there]').waitFor({ timeout: 30_000 })
  const cheaper = `${Math.max(1, Math.floor(listing.priceMills / 20)) / 100}`
  await stack.control.setPrice('market_a', listing.id, cheaper)
  await page.locator('tr[data-marked]').first().waitFor()
  assert.deepEqual([watched.foreignRequests, faultsOf(watched)], [[], []])
})

/** How many requests of the browser waited for events at the same moment. */
function countWaits(page: Page): { most: number } {
  const counted = { most: 0 }
  const open = new Set<object>()
  page.context().on('request', (request) => {
    if (request.url().includes('wait=')) open.add(request)
    counted.most = Math.max(counted.most, open.size)
  })
  page.context().on('requestfinished', (request) => void open.delete(request))
  page.context().on('requestfailed', (request) => void open.delete(request))
  return counted
}

const END_OVERLAP = sql(
  'test_end_overlap',
  `update identity.api_key set valid_until = now() where status = 'rotating' returning id`,
)

it('a person who pays by card returns to that deposit, whatever the provider adds to the address', {
  skip,
}, async (t) => {
  const { page } = await asShop(t)
  await go(page, 'deposits/new')
  await page.getByRole('button', { name: 'Quote' }).click()
  await page.getByRole('button', { name: 'Pay by card' }).click()
  await page.getByRole('button', { name: /^Pay 100\.00 EUR/ }).click()
  await page.waitForURL(/\/dashboard\/deposits\/[\da-f-]{36}$/)
  await page.getByText('€100.00', { exact: true }).waitFor()
  // An address that names no deposit leads to the list, without filters.
  await go(page, 'card-return?status=pending')
  await page.waitForURL(/\/dashboard\/deposits$/)
})

it('a key is rotated while requests go on: both work in the overlap, and the new one after it', {
  skip,
}, async (t) => {
  const { page } = await asShop(t)
  let isOn = true
  const seen: (string | null)[] = []
  const traffic = (async () => {
    while (isOn) seen.push((await shop.call('getWallet')).error?.key ?? null)
  })()
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('button', { name: 'Rotate' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('The old key').selectOption('1')
  await dialog.getByRole('button', { name: 'Rotate' }).click()
  const apiKey = await dialog.locator('code').first().innerText()
  await closeSecret(dialog)
  await page.getByText('rotating').waitFor()
  const renewed = createClient({ baseUrl: stack.demo.baseUrl, apiKey })
  await renewed.get('getWallet')
  await shop.get('getWallet')
  isOn = false
  await traffic
  assert.ok(seen.length > 0)
  assert.ok(
    seen.every((key) => key === null),
    `${seen.length} calls, refused: ${seen.filter(Boolean)}`,
  )
  assert.equal((await stack.database.db.query(END_OVERLAP)).length, 1)
  await until('the old key is refused', async () => (await shop.call('getWallet')).status === 401)
  await renewed.get('getWallet')
  shop = renewed
})

it('an endpoint that is gone is repaired on the page, and what it missed is recovered', {
  skip,
}, async (t) => {
  const watched = await asShop(t)
  const { page } = watched
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await addEndpoint(page, endpoint.url)
  endpoint.answer = answerWith(410)
  const supply = await stock(stack.control, 'market_b')
  const lost = await buyNext(shop, { market: 'market_b', supply, externalId: 'order-2' })
  await untilEnded(shop, lost.receipt.id)
  await until('the endpoint is switched off', async () => {
    await go(page, 'webhook')
    await settled(page)
    return (await page.getByText('answered 410 Gone').count()) > 0
  })
  endpoint.answer = answerWith(200)
  endpoint.received.length = 0
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText('enabled').first().waitFor()
  await page.getByRole('link', { name: 'Deliveries' }).click()
  await page.getByRole('button', { name: 'Resend failed deliveries' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Resend failed deliveries' }).click()
  await dialog.getByText('Resending').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  const types = () =>
    endpoint.received
      .map(({ body }) => JSON.parse(body) as { type: string; data: { trade?: { id: string } } })
      .filter(({ data }) => data.trade?.id === lost.receipt.id)
      .map(({ type }) => type)
  await until('its last event has arrived', () => types().includes('trade.completed'), SLOW)
  assert.ok(types().includes('trade.initiated'))
  await go(page, 'webhook/deliveries?status=delivered')
  await page.getByRole('cell', { name: 'trade.completed' }).first().waitFor()
  assert.deepEqual(faultsOf(watched), [])
})

/** Asks for a withdrawal on the pages and returns when its own page is shown. */
async function withdraw(page: Page, amount: string): Promise<void> {
  await go(page, 'payouts/withdraw')
  await page.getByLabel('Amount in USD').fill(amount)
  await page.getByLabel('Destination').fill(DESTINATION)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Current network fee').waitFor()
  await page.getByRole('button', { name: `Withdraw $${amount}` }).click()
  await page.getByRole('heading', { name: 'Withdrawal', exact: true }).waitFor()
}

it('a withdrawal made on the pages is approved, another one refused, and each shows why', {
  skip,
}, async (t) => {
  const watched = await asShop(t)
  const { page } = watched
  await page.getByRole('link', { name: 'Payouts' }).click()
  await payTo(await page.locator('main code', { hasText: /^0x/ }).innerText(), '100')
  await page.getByRole('cell', { name: TOKEN }).waitFor()
  await until(
    'custody holds it',
    async () => (await shop.get('getPayoutBalances')).totalCents > 9_900,
    SLOW,
  )
  endpoint.answer = (received, response) => {
    const { type, data } = JSON.parse(received.body) as {
      type: string
      data: { withdrawal?: { amountCents: number } }
    }
    const isKnown = !type.endsWith('.approval') || data.withdrawal?.amountCents === 2500
    response.writeHead(isKnown ? 200 : 403).end(isKnown ? 'known' : 'not one of ours')
  }
  await withdraw(page, '25.00')
  await page.getByText('confirmed', { exact: true }).waitFor({ timeout: 60_000 })
  await page.getByText(/"amountCents": 2500/).waitFor()
  await page.getByText('known', { exact: true }).waitFor()
  await withdraw(page, '30.00')
  await page.getByText('refunded', { exact: true }).waitFor({ timeout: 60_000 })
  await page.getByText('not one of ours').waitFor()
  assert.deepEqual(faultsOf(watched), [])
})

it('a sell waits for the click that accepts it, and is paid after it', { skip }, async (t) => {
  const { merchant, demo } = stack
  const behalf = 'console-seller'
  await merchant.get('createSubUser', { body: { externalId: behalf } })
  const [item] = await linkSeller(merchant, behalf, tradeUrl('manual00', 4711))
  assert.ok(item)
  const { id } = await sellItems(merchant, behalf, [item])

  const { page, errors } = await open(t, { browser, url: demo.sandboxUrl })
  const row = page.locator('[data-offer]', { hasText: `Bot takes ${item.marketHashName}` })
  await row.getByText('1 item', { exact: true }).waitFor()
  await row.getByRole('button', { name: /^Accept/ }).click()
  await page.getByRole('status').getByText('is accepted').waitFor()
  const ended = await untilEnded(merchant, id)
  assert.equal(ended.status, 'completed')
  assert.deepEqual(errors, [])
})
