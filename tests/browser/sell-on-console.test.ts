// An offer of the service's own bot, from the sell to the click that answers it, on the sandbox's console.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { launch, noBrowser, open } from '../support/browser.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { tradeUrl, untilEnded } from '../support/trading.ts'

let browser: Browser
let stack: Stack
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

it('a sell waits for the click that accepts it, and is paid after it', { skip }, async (t) => {
  const { merchant, demo } = stack
  const behalf = 'console-seller'
  await merchant.get('createSubUser', { body: { externalId: behalf } })
  await merchant.get('createTradeUrl', { behalf, body: { url: tradeUrl('manual00', 4711) } })
  const { items } = await merchant.get('getSellInventory', { behalf })
  const [item] = items.filter(({ accepted }) => accepted)
  assert.ok(item)
  const body = { items: [{ id: item.id, price: item.price.toFixed(2) }] }
  const { id } = await merchant.get('sell', { behalf, body })

  const { page, errors } = await open(t, { browser, url: demo.sandboxUrl })
  const row = page.locator('[data-offer]', { hasText: `Bot takes ${item.marketHashName}` })
  await row.getByText('1 item', { exact: true }).waitFor()
  await row.getByRole('button', { name: /^Accept/ }).click()
  await page.getByRole('status').getByText('is accepted').waitFor()
  const ended = await untilEnded(merchant, id)
  assert.equal(ended.status, 'completed')
  assert.deepEqual(errors, [])
})
