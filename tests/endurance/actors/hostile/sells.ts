// Users of a hostile merchant who offer everything that they have, several times at once, and let most of the
// bots' offers expire or decline them: each open offer is one that another seller does not get.

import assert from 'node:assert/strict'
import type { Client } from '../../../support/client.ts'
import type { SandboxCall } from '../../../support/sandbox-call.ts'
import { platformIdOf, tradeUrl } from '../../../support/trading.ts'
import { pickWith } from '../../dice.ts'
import type { MerchantAttackDeps } from './deps.ts'

const TOKENS = ['declin00', 'expire00', 'expire00', 'slowly00', 'accept00', 'rvuser00'] as const
const SELLERS = 12
const FIRST_PARTNER = 60_000_001
const ITEMS_EACH = 300
const MOST_ITEMS = 100

interface Seller {
  readonly behalf: string
  sold: number
}

async function openSellers(merchant: Client, control: SandboxCall): Promise<Seller[]> {
  const sellers: Seller[] = []
  for (let i = 0; i < SELLERS; i++) {
    const behalf = `attack-seller-${i}`
    const partner = FIRST_PARTNER + i
    await merchant.get('createSubUser', { body: { externalId: behalf } })
    const url = tradeUrl(TOKENS[i % TOKENS.length], partner)
    await merchant.get('createTradeUrl', { behalf, body: { url } })
    await control('PUT', `/inventories/${platformIdOf(partner)}`, { count: ITEMS_EACH })
    sellers.push({ behalf, sold: 0 })
  }
  return sellers
}

export async function createSells({
  merchant,
  control,
  tally,
  throwDice,
}: MerchantAttackDeps): Promise<{ step(): Promise<void> }> {
  const sellers = await openSellers(merchant, control)
  const pick = pickWith(throwDice)
  return {
    step: async () => {
      const seller = pick(sellers)
      const { behalf } = seller
      const inventory = await merchant.call('getSellInventory', { behalf })
      const { data } = tally.served('sell inventories', inventory)
      const accepted = data?.items.filter((item) => item.accepted) ?? []
      if (accepted.length === 0) return
      const from = Math.floor(throwDice() * accepted.length)
      const most = throwDice() < 0.5 ? MOST_ITEMS : 3
      const items = accepted.slice(from, from + most)
      const externalId = `${behalf}-${++seller.sold}`
      const sell = (externalId: string, cents = 0) =>
        merchant.call('sell', {
          behalf,
          body: {
            externalId,
            items: items.map(({ assetid, price }) => ({
              ...{ assetid, price: (price + cents / 100).toFixed(2) },
            })),
          },
        })
      const answers = await Promise.all([
        sell(externalId),
        sell(externalId),
        sell(externalId),
        sell(`${externalId}-again`),
        sell(`${externalId}-dearer`, 1),
      ])
      for (const answer of answers) tally.served('sells', answer)
      const ids = answers.slice(0, 3).flatMap(({ data: receipt }) => receipt?.id ?? [])
      assert.ok(new Set(ids).size <= 1, `${externalId} made ${new Set(ids).size} sells`)
      assert.equal(answers[4]?.data ?? null, null, 'a sell above the quote is refused')
    },
  }
}
