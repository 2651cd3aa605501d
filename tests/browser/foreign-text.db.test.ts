// Names and external ids that other people wrote turn nothing around on the pages, in a real browser.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { aSubUser } from '../../apps/server/src/modules/accounts/identity/testing/accounts.ts'
import { noBrowser } from '../support/browser.ts'
import { givenDashboard, logInTo, pagesOf, settled } from '../support/dashboard.ts'

const dashboard = givenDashboard()

it('an external id that would turn text around is shown with its escape, apart from the rest', {
  skip: noBrowser,
}, async (t) => {
  const { server, browser, database } = dashboard
  const { email, accountId } = await server.person()
  await aSubUser(database.db, accountId, { externalId: '\u202Eabc' })
  const { id } = await aSubUser(database.db, accountId, { externalId: '\u05D0\u05D1' })
  const { page } = await logInTo(t, { server, browser, email })
  await page.goto(`${pagesOf(server)}/users`)
  await settled(page)
  assert.deepEqual(await page.locator('tbody td:first-child bdi').allInnerTexts(), [
    '\u05D0\u05D1',
    '\\u202Eabc',
  ])
  await page.goto(`${pagesOf(server)}/users/${id}`)
  await settled(page)
  await page.getByRole('button', { name: 'Suspend' }).click()
  const title = page.getByRole('dialog').getByRole('heading')
  assert.equal(await title.innerText(), 'Suspend \u2068\u05D0\u05D1\u2069')
})
