// A card deposit as a person sees it: from the page's address that the service gives out, over the provider's
// page, back to the shop. By keyboard, on a phone, without anything from elsewhere.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { launch, noBrowser, open, overflowOf, PHONE } from '../support/browser.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { until } from '../support/until.ts'

let stack: Stack
let browser: Browser
const skip = noBrowser

before(async () => {
  if (skip) return
  stack = await startStack(await testDatabase({ poolSize: 2 }))
  browser = await launch()
})

after(async () => {
  await browser?.close()
  await stack?.close()
})

/** Back at the shop: any page of ours stands for it. */
const shopUrl = (): string => `${stack.demo.baseUrl}/docs`

async function beginCard(): Promise<{ readonly id: string; readonly widgetUrl: string }> {
  const { merchant } = stack
  const body = { payAmount: '100.00', payCurrency: 'EUR' }
  const { quoteToken } = await merchant.get('quoteOnramp', { body })
  const begun = await merchant.get('createOnramp', {
    body: { quoteToken, redirectUrl: shopUrl() },
  })
  return { id: begun.fundingId, widgetUrl: begun.widgetUrl }
}

const untilStatus = (id: string, wanted: string) =>
  until(`the deposit is ${wanted}`, async () => {
    const { status } = await stack.merchant.get('getDeposit', { params: { id } })
    return status === wanted
  })

/** Pictures for a person to look at, where a folder for them is named. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

it('a person pays by the keyboard alone and is sent back to the shop', { skip }, async (t) => {
  const { id, widgetUrl } = await beginCard()
  const { page, errors, foreignRequests } = await open(t, {
    ...{ browser, url: widgetUrl },
    options: PHONE,
  })
  assert.ok((await overflowOf(page)) <= 0)
  assert.equal(await page.locator('html').getAttribute('lang'), 'en')
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1)
  await keepPicture(page, 'checkout')
  await page.keyboard.press('Tab')
  assert.equal(await page.locator(':focus').innerText(), 'Pay 100.00 EUR')
  await page.keyboard.press('Enter')
  await page.getByRole('status').waitFor()
  await keepPicture(page, 'checkout-paid')
  assert.deepEqual([errors, foreignRequests], [[], []])
  await page.waitForURL(`${shopUrl()}?**`)
  const { searchParams } = new URL(page.url())
  assert.equal(searchParams.get('merchantRecognitionId'), id.replaceAll('-', ''))
  await untilStatus(id, 'completed')
})

it('a person who cancels returns at once, and the payment cannot be made any more', {
  skip,
}, async (t) => {
  const { id, widgetUrl } = await beginCard()
  const { page } = await open(t, { browser, url: widgetUrl })
  await keepPicture(page, 'checkout-wide')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('You canceled the payment.').waitFor()
  await keepPicture(page, 'checkout-canceled')
  await page.getByRole('link', { name: 'Return now' }).click()
  await page.waitForURL(`${shopUrl()}?**`)
  assert.equal(new URL(page.url()).searchParams.get('status'), 'failed')
  await page.goto(widgetUrl)
  assert.equal(await page.getByRole('button').count(), 0)
  await untilStatus(id, 'failed')
})
