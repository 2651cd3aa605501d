// What people type, and what they are told before and after, in a real browser.
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../support/browser.ts'
import { givenDashboard, logInTo, pagesOf, settled } from '../support/dashboard.ts'

const skip = noBrowser

const dashboard = givenDashboard()

/** A page of an owner of a merchant of its own. */
async function owner(t: TestContext): Promise<Page> {
  const { server, browser } = dashboard
  const { email } = await server.person()
  return (await logInTo(t, { server, browser, email })).page
}

it('what is typed right after “/” is all in the search', { skip }, async (t) => {
  const page = await owner(t)
  await page.goto(`${pagesOf(dashboard.server)}/overview`)
  await settled(page)
  await page.keyboard.type('/webhooks')
  assert.equal(await page.getByRole('combobox', { name: 'Search' }).inputValue(), 'webhooks')
})
