import type { Store } from '../store/store.ts'
import { accountIdOf, behaviourOf, type TradePartner } from './persona.ts'

/**
 * An inventory is read by account id alone, while the behaviour belongs to the trade URL: the last
 * URL under which a persona was seen decides whether its inventory is private.
 */
export interface Privacy {
  saw(partner: TradePartner): void
  isPrivate(platformId: string): boolean
}

export function createPrivacy(store: Store): Privacy {
  const tokens = new Map<number, string>()
  const table = store.table('persona')
  for (const { key, row } of table.rows()) tokens.set(key, row)
  return {
    saw({ partner, token }) {
      if (tokens.get(partner) === token) return
      tokens.set(partner, token)
      table.write(partner, token)
    },
    isPrivate(platformId) {
      const token = tokens.get(accountIdOf(platformId) ?? 0)
      return token !== undefined && behaviourOf(token) === 'private_inventory'
    },
  }
}
