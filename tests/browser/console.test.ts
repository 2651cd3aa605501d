// The sandbox's console, as a developer uses it.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { type SmtpAddress, sendMail } from '../../apps/sandbox/src/testing/smtp-client.ts'
import { launch, noBrowser, open, overflowOf, PHONE } from '../support/browser.ts'
import { type Sandbox, startSandbox } from '../support/sandbox.ts'
import { until } from '../support/until.ts'

let browser: Browser
let sandbox: Sandbox
const skip = noBrowser

before(async () => {
  if (skip) return
  // Long enough a hold that nothing settles between two clicks on a busy machine.
  sandbox = await startSandbox({ HOLD_SECONDS: '600', SANDBOX_CHAINS: 'base' })
  browser = await launch()
})

after(async () => {
  await browser?.close()
  await sandbox?.child.end('SIGTERM')
})

/** A purchase at market A whose buyer waits for control; answers its offer. */
async function anOffer(customId: string): Promise<string> {
  const [listing] = await sandbox.control.listings('market_a', 1)
  assert.ok(listing)
  const params = new URLSearchParams({
    key: 'sandbox-market-a',
    id: listing.id,
    price: String(listing.priceMills),
    partner: '4242',
    token: 'manual00',
    custom_id: customId,
  })
  const answer = await fetch(`${sandbox.url}/market-a/api/v2/buy-for?${params}`)
  assert.equal(((await answer.json()) as { success: boolean }).success, true)
  return until('the offer is out', async () => {
    const offers = await sandbox.control.offers()
    return offers.find((offer) => offer.customId === customId && offer.state === 'active')?.offerId
  })
}

it('a waiting offer is accepted by a click and reversed by another', {
  skip,
}, async (t) => {
  const { page, foreignRequests, errors } = await open(t, { browser, url: sandbox.url })
  const offerId = await anOffer('browser-1')
  const row = page.locator(`[data-offer="${offerId}"]`)
  await row.locator('.badge', { hasText: 'active' }).waitFor()
  await row.getByRole('button', { name: `Accept offer ${offerId}` }).click()
  await row.locator('.badge', { hasText: 'accepted' }).waitFor()
  assert.equal((await sandbox.control.offer(offerId)).state, 'accepted')
  await page.getByRole('status').getByText(`Offer ${offerId} is accepted.`).waitFor()
  await row.getByRole('button', { name: `Buyer reverts offer ${offerId}` }).press('Enter')
  await row.locator('.badge', { hasText: 'reversed' }).waitFor()
  assert.deepEqual([foreignRequests, errors], [[], []])
})

it('what others wrote stands apart, and shows what in it would turn the line around', {
  skip,
}, async (t) => {
  const evil = '\u202Eabc'
  const offerId = await anOffer(evil)
  const server = await (await fetch(`${sandbox.url}/control/mail/server`)).json()
  await sendMail(server as SmtpAddress, evil, '<p>x</p>')
  const { page, errors } = await open(t, { browser, url: sandbox.url })
  const about = page.locator(`[data-offer="${offerId}"] bdi`, { hasText: '\\u202eabc' })
  await about.waitFor()
  assert.equal(await about.textContent(), '\\u202eabc')
  await page.getByRole('link', { name: 'Mail' }).click()
  await page.locator('summary bdi', { hasText: '\\u202eabc' }).waitFor()
  assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /[\u202a-\u202e]/)
  assert.deepEqual(errors, [])
})

it('unchanged rows are not redrawn', { skip }, async (t) => {
  const offerId = await anOffer('browser-2')
  const { page } = await open(t, { browser, url: sandbox.url })
  const button = page.getByRole('button', { name: `Decline offer ${offerId}` })
  await button.focus()
  const before = await button.elementHandle()
  const another = await anOffer('browser-3')
  await page.locator(`[data-offer="${another}"]`).waitFor()
  assert.ok(await before?.evaluate((element) => element === element.ownerDocument.activeElement))
})

it('a market is taken offline and online, slowed down, and given a fault script', {
  skip,
}, async (t) => {
  const { page } = await open(t, { browser, url: sandbox.url })
  const market = page.getByRole('article', { name: 'Market B' })
  const power = market.getByRole('switch')
  await power.click()
  await market.getByText('offline', { exact: true }).waitFor()
  const down = await fetch(
    `${sandbox.url}/market-b/v1/check-many-project-id?api=sandbox-market-b&id=x`,
  )
  assert.equal(down.status, 502)
  await power.press('Space')
  await market.getByText('online', { exact: true }).waitFor()

  await market.getByRole('spinbutton').fill('250')
  await market.getByRole('spinbutton').press('Enter')
  await page.getByRole('status').getByText('answers 250 ms later').waitFor()

  const word = market.getByRole('combobox', { name: /goes wrong/ })
  await word.selectOption('http_500')
  await market.getByRole('button', { name: 'Queue' }).click()
  await market.getByRole('listitem').getByText('http_500').waitFor()
  assert.equal(await sandbox.control.scriptLength('market_b'), 1)
  await word.selectOption('Another entry …')
  await market.getByRole('textbox', { name: /Entry of the script/ }).fill('no such thing')
  await market.getByRole('textbox', { name: /Entry of the script/ }).press('Enter')
  await page.getByRole('status').getByText('has no script word').waitFor()
  const platform = page.getByRole('article', { name: 'Game platform' })
  await platform.getByRole('combobox').selectOption('session_lost')
  await platform.getByRole('button', { name: 'Queue' }).click()
  await platform.getByRole('listitem').getByText('session_lost').waitFor()
  await market.getByRole('button', { name: 'Empty the script' }).click()
  await until('the script is empty', async () => {
    return (await sandbox.control.scriptLength('market_b')) === 0
  })
})

it("a chain's node is given every fault of the control interface, and an asset a price", {
  skip,
}, async (t) => {
  const { page, errors } = await open(t, { browser, url: `${sandbox.url}/#chains` })
  const base = page.locator('[data-chain="base"]')
  await base.getByText('Faults of its node').click()
  await base.getByRole('combobox', { name: /next call/ }).selectOption('swallow_send')
  await base.getByRole('button', { name: 'Queue' }).click()
  await base.getByText('swallow_send', { exact: true }).first().waitFor()
  await base.getByRole('button', { name: 'Empty the script' }).click()
  for (const fault of ['every log twice', 'no logs', 'wrong chain id']) {
    await base.getByRole('button', { name: `base: ${fault}` }).click()
    await base.locator(`[aria-label="base: ${fault}"][aria-pressed="true"]`).waitFor()
  }
  const set = async (what: string, value: string): Promise<void> => {
    await base.getByRole('spinbutton', { name: `base: ${what}` }).fill(value)
    await base.getByRole('button', { name: `Set ${what} of base` }).click()
    await page.getByRole('status').getByText(`base: ${value} ${what}.`).waitFor()
  }
  await base.getByRole('button', { name: 'Mine 10' }).click()
  await page.getByRole('status').getByText('ten blocks more').waitFor()
  await set('milliseconds late', '5')
  await set('blocks behind', '2')
  await set('wei base fee', '2000000000')
  await set('blocks taken back', '2')
  await base
    .getByText('5 ms late · duplicate logs · no logs · 2 blocks behind · wrong chain id')
    .waitFor()

  const ether = page.locator('[data-asset="ETH"]')
  await ether.getByRole('textbox', { name: 'Price at the exchange of ETH' }).fill('1234.5')
  await ether.getByRole('button', { name: 'Set the price of ETH' }).click()
  await ether.getByText('1234.5 USD at the exchange').waitFor()
  await page.getByRole('switch', { name: 'Exchange online' }).click()
  await page.getByText('exchange offline').waitFor()
  assert.deepEqual(errors, [])
})

it('listings, orders, inventories and mail are found, and foreign text is not markup', {
  skip,
}, async (t) => {
  const { page, errors } = await open(t, { browser, url: `${sandbox.url}/#listings` })
  await page.getByRole('searchbox').fill('ak-47')
  const found = page.locator('[data-listing]', { hasText: 'AK-47' }).first()
  await found.waitFor()
  const id = await found.getAttribute('data-listing')
  const row = page.locator(`[data-listing="${id}"]`)
  await row.getByRole('textbox').fill('0.02')
  await row.getByRole('textbox').press('Enter')
  await row.getByText('$0.02').waitFor()

  await page.getByRole('link', { name: 'Orders' }).click()
  await page.locator('#orders').waitFor()
  await page.getByRole('link', { name: 'Inventories' }).click()
  await page.getByRole('searchbox').fill('https://x.example/?partner=4242&token=manual00')
  await page.getByRole('searchbox').press('Enter')
  await page.locator('[data-asset]').nth(39).waitFor()

  const subject = '<img src=x onerror=alert(1)>'
  const server = await (await fetch(`${sandbox.url}/control/mail/server`)).json()
  await sendMail(server as SmtpAddress, subject)
  await page.getByRole('link', { name: 'Mail' }).click()
  await page.getByText(subject).click()
  await page.locator('pre', { hasText: 'Text.' }).waitFor()
  const link = `<a href="${sandbox.url}/health">Confirm</a>`
  const hostile = `<p id="shown">As HTML</p>${link}<script>document.body.textContent = "ran"</script>`
  await sendMail(server as SmtpAddress, 'in HTML', hostile)
  await page.getByText('in HTML').click()
  const frame = page.frameLocator('iframe[sandbox]')
  await frame.locator('#shown', { hasText: 'As HTML' }).waitFor()
  const opened = page.waitForEvent('popup')
  await frame.getByRole('link', { name: 'Confirm' }).click()
  await (await opened).waitForURL(`${sandbox.url}/health`)
  assert.equal(await page.locator('iframe').count(), 1)
  assert.equal(await page.locator('main img').count(), 0)
  // The browser reports the script of the mail that it did not run, and nothing else.
  const blocked = /Blocked script execution|violates the following Content Security Policy/
  assert.deepEqual(
    errors.filter((error) => !blocked.test(error)),
    [],
  )
})

it('the address of the newest mail opens it, and on a phone shows its tab', { skip }, async (t) => {
  const server = await (await fetch(`${sandbox.url}/control/mail/server`)).json()
  await sendMail(server as SmtpAddress, 'an older one')
  const url = `${sandbox.url}/#mail/newest`
  const { page, errors } = await open(t, { browser, url, options: PHONE })
  const newest = page.locator('#mails > details').first()
  await newest.locator('summary', { hasText: 'an older one' }).waitFor()
  await newest.locator('pre').waitFor()
  await sendMail(server as SmtpAddress, 'a newer one')
  await newest.locator('summary', { hasText: 'a newer one' }).waitFor()
  await newest.locator('pre').waitFor()
  const tab = await page.getByRole('link', { name: 'Mail' }).boundingBox()
  assert.ok(tab && tab.x >= 0 && tab.x + tab.width <= (page.viewportSize()?.width ?? 0))
  assert.deepEqual(errors, [])
})

const VIEWS = {
  offers: 'Trade offers on the platform',
  orders: 'Orders at the markets',
  listings: 'Listings at the markets',
  inventory: 'Inventories on the platform',
  mail: 'Mail from the service',
  gateway: 'Orders at the payment gateway',
  onramp: 'Orders at the card on-ramp',
  chains: 'Chains and their prices',
}
const SMALL_DESK = { viewport: { width: 1280, height: 800 } }

/** The names of choices that are narrower than the text that they show. */
const CUT_CHOICES = `[...document.querySelectorAll('select')].filter((select) => {
  const whole = select.cloneNode()
  whole.style.width = 'auto'
  whole.append(select.selectedOptions[0].cloneNode(true))
  select.after(whole)
  const isCut = whole.offsetWidth > select.offsetWidth
  whole.remove()
  return isCut
}).map(({ ariaLabel }) => ariaLabel)`

it('every view says in one heading what it shows, and fits on a phone and on a small desk', {
  skip,
}, async (t) => {
  await anOffer('browser-4')
  for (const options of [PHONE, SMALL_DESK]) {
    const { page } = await open(t, { browser, url: sandbox.url, options })
    await page.locator('[data-offer]').first().waitFor()
    for (const [view, heading] of Object.entries(VIEWS)) {
      await page.evaluate(`location.hash = '#${view}'`)
      await page.locator(`.tabs a[aria-current][href="#${view}"]`).waitFor()
      assert.deepEqual(await page.locator('main h2').allInnerTexts(), [heading])
      assert.ok((await overflowOf(page)) <= 0, view)
      // What JavaScript writes when a page shows what is not there.
      assert.doesNotMatch(await page.locator('body').innerText(), /undefined|NaN|\[object/, view)
    }
    if (options === SMALL_DESK) assert.deepEqual(await page.evaluate(CUT_CHOICES), [])
  }
})
