// Users of a merchant with money, each linked to a person of the platform with much to sell.
import type { Client } from '../../support/client.ts'
import type { Sandbox } from '../../support/sandbox.ts'
import { platformIdOf, tradeUrl, untilServed } from '../../support/trading.ts'

export interface User {
  readonly name: string
  readonly partner: number
}

const FIRST_PARTNER = 70_000_001
const ITEMS_EACH = 300

export async function openUsers(
  { merchant, sandbox }: { readonly merchant: Client; readonly sandbox: Sandbox },
  count: number,
): Promise<User[]> {
  const users = Array.from({ length: count }, (_, i) => ({
    name: `user-${i}`,
    partner: FIRST_PARTNER + i,
  }))
  for (const { name, partner } of users) {
    await merchant.get('createSubUser', { body: { externalId: name } })
    const body = { amount: '4000.00' }
    await merchant.get('fundSubUser', { params: { id: name }, body, idempotencyKey: `f-${name}` })
    const url = tradeUrl('accept00', partner)
    await untilServed(`the trade URL of ${name} is known`, () =>
      merchant.call('createTradeUrl', { behalf: name, body: { url } }),
    )
    await sandbox.control.call('PUT', `/inventories/${platformIdOf(partner)}`, {
      count: ITEMS_EACH,
    })
  }
  return users
}
