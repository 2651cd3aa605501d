// The documentation in a real browser: nothing from elsewhere, readable on a phone, search, themes, and links
// into the reference.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { PAGES, ROOT, urlOf } from '../../apps/server/src/edges/http/docs/site/pages.ts'
import { renderSite } from '../../apps/server/src/edges/http/docs/site/site.ts'
import {
  startTestServer,
  type TestServer,
} from '../../apps/server/src/edges/http/shared/testing/server.ts'
import { launch, noBrowser, open, overflowOf, PHONE } from '../support/browser.ts'
import { until } from '../support/until.ts'

let browser: Browser
let server: TestServer
const skip = noBrowser

before(async () => {
  if (skip) return
  server = await startTestServer()
  browser = await launch()
})

after(async () => {
  await browser?.close()
  await server?.close()
})

it('no page loads anything from another server or breaks its own policy', { skip }, async (t) => {
  const { page, foreignRequests, errors } = await open(t, { browser, url: `${server.url}/docs` })
  for (const url of PAGES.map(urlOf)) await page.goto(`${server.url}${url}`)
  await page.goto(`${server.url}/docs/reference`, { waitUntil: 'networkidle' })
  assert.deepEqual([foreignRequests, errors], [[], []])
})

it('no page is wider than a phone, and what is wide can be pushed', { skip }, async (t) => {
  const url = `${server.url}/docs`
  const { page } = await open(t, { browser, url, options: PHONE })
  for (const path of PAGES.map(urlOf)) {
    await page.goto(`${server.url}${path}`)
    assert.ok((await overflowOf(page)) <= 0, path)
  }
  await page.getByText('Menu', { exact: true }).click()
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await page.waitForURL('**/docs/webhooks')
})

it('search finds headings and errors by the keyboard alone', { skip }, async (t) => {
  const { page, errors } = await open(t, { browser, url: `${server.url}/docs` })
  await page.keyboard.press('/')
  await page.keyboard.type('listing not')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Escape')
  assert.equal(await page.getByRole('option').count(), 0)
  await page.keyboard.type('LISTING_NOT_FOUND')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/errors#LISTING_NOT_FOUND')
  assert.deepEqual(errors, [])
})

it('code is copied by the keyboard, and that it was is shown and read out', { skip }, async (t) => {
  const url = `${server.url}/docs/first-purchase`
  const options = { permissions: ['clipboard-read', 'clipboard-write'] }
  const { page, errors } = await open(t, { browser, url, options })
  const code = await page.locator('figure.code:visible code').first().textContent()
  await page.locator('figure.code:visible button').first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' })
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), code)
  await page.getByRole('button', { name: 'Copied' }).waitFor({ state: 'detached' })
  assert.deepEqual(errors, [])
})

it('where no script runs there is no button, and every line can be read', { skip }, async (t) => {
  const url = `${server.url}/docs/first-purchase`
  const { page } = await open(t, { browser, url, options: { javaScriptEnabled: false } })
  assert.ok(await page.locator('figure.code code').first().isVisible())
  assert.equal(await page.locator('button:visible').count(), 0)
})

it('a chosen theme is kept from page to page', { skip }, async (t) => {
  const { page } = await open(t, { browser, url: `${server.url}/docs` })
  const colour = (): Promise<string> =>
    page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  const light = await colour()
  await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
  const dark = await colour()
  assert.notEqual(light, dark)
  await page.goto(`${server.url}/docs/webhooks`)
  assert.equal(await colour(), dark)
})

it('text can be read: contrast of every kind of text is at least 4.5', { skip }, async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const url = `${server.url}/docs/webhooks`
    const { page } = await open(t, { browser, url, options: { colorScheme } })
    for (const [selector, ratio] of await page.evaluate<[string, number][]>(CONTRASTS)) {
      assert.ok(ratio >= 4.5, `${selector} in ${colorScheme}: ${ratio.toFixed(2)}`)
    }
  }
})

/** The contrast of text with its background, as WCAG defines it. */
const CONTRASTS = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const light = (colour) => {
    const [r, g, b] = rgb(colour).slice(0, 3).map((part) => {
      const s = part / 255
      return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at)
      if (rgb(backgroundColor)[3] === 255) return backgroundColor
    }
    return 'white'
  }
  const kinds = ['main p', 'main h1 + p', 'main a', 'main td', '.menu a', '.menu h2', 'pre code',
    'figcaption', '.hljs-keyword', '.hljs-string', '.hljs-title', '.hljs-attr', '.hljs-number']
  return kinds.flatMap((kind) => {
    const element = document.querySelector(kind)
    if (element === null) return []
    const [one, other] = [light(getComputedStyle(element).color), light(behind(element))]
    return [[kind, (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)]]
  })
})()`

it('an address of the reference from before it moved still leads there', { skip }, async (t) => {
  const { page } = await open(t, {
    browser,
    url: `${server.url}/docs#tag/market/GET/market/search`,
  })
  await page.waitForURL('**/docs/reference#tag/market/GET/market/search')
  await until('the reference is drawn', () => page.locator('#app *').first().isVisible())
})

it('the reference has the menu, the theme and the search of the guides', { skip }, async (t) => {
  const url = `${server.url}/docs/reference`
  const { page, errors } = await open(t, { browser, url })
  await until('the reference is drawn', () => page.locator('#app *').first().isVisible())
  const link = page.getByRole('link', { name: 'Webhooks', exact: true })
  await page.getByText('Menu', { exact: true }).click()
  assert.ok(await link.isVisible())
  await page.keyboard.press('Escape')
  assert.ok(!(await link.isVisible()))
  const colour = (): Promise<string> =>
    page.evaluate('getComputedStyle(document.body).backgroundColor')
  const light = await colour()
  await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
  assert.notEqual(await colour(), light)
  await page.keyboard.press('/')
  await page.keyboard.type('LISTING_NOT_FOUND')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/errors#LISTING_NOT_FOUND')
  assert.deepEqual(errors, [])
})

it('a route that search finds is an anchor of the reference, in every group', {
  skip,
}, async (t) => {
  const document = readFileSync(join(ROOT, 'docs/openapi/merchant.json'), 'utf8')
  const { index } = await renderSite([JSON.parse(document)])
  const anchors = index.flatMap(
    ({ url }) => /^\/docs\/reference#(tag\/[^/]+\/.*)/.exec(url)?.[1] ?? [],
  )
  const oneOfEach = new Map(anchors.map((anchor) => [anchor.split('/')[1], anchor]))
  assert.ok(oneOfEach.size >= 7)
  const { page } = await open(t, { browser, url: `${server.url}/docs` })
  await page.route('**/openapi/merchant.json', (route) =>
    route.fulfill({ body: document, contentType: 'application/json' }),
  )
  for (const anchor of oneOfEach.values()) {
    await page.goto(`${server.url}/docs/reference#${anchor}`)
    await page.locator(`a[href$="#${anchor}"]`).first().waitFor({ state: 'attached' })
  }
})
