// The cases that an attack leaves behind: those of markets and platform as the soak explains them, those of
// money by what the gateway, the on-ramp and the chain were made to do.

import type { Suppliers } from '../faults/suppliers.ts'
import { type Case, explain } from './cases.ts'

/** Which faults leave a case of a kind. One about a chain must have been cleared by the end. */
const OF_MONEY: Readonly<
  Record<string, { readonly faults: readonly string[]; readonly isCleared?: true }>
> = {
  deposit_contradiction: {
    faults: [
      'false_total',
      'false_payment',
      'other_order',
      'false_amount',
      'other_wallet',
      'sends:',
    ],
  },
  deposit_unclaimed: { faults: ['lookup_blind', '+placed', 'lost_reply_placed', 'html_200'] },
  deposit_order_missing: { faults: ['lost_reply', 'http_500', 'html_200', 'lookup_blind'] },
  deposit_owed: { faults: ['exchange_failed', 'payment_blocked', 'sends:'] },
  deposit_held_back: { faults: ['payment_blocked', 'exchange_failed', 'conversion_delay'] },
  chain_balance_differs: { faults: ['reorg', 'node', 'logs'], isCleared: true },
  chain_shortfall: { faults: ['reorg', 'node', 'logs'], isCleared: true },
}

/** What no fault explains, in words: how many of each kind and party, with the first one. */
export function unexplained(
  cases: readonly Case[],
  { said, faults }: Pick<Suppliers, 'said' | 'faults'>,
): string[] {
  const shown = [...faults.keys()]
  const isExplained = ({ kind, cleared }: Case): boolean => {
    const cause = OF_MONEY[kind]
    if (cause === undefined || (cause.isCleared && !cleared)) return false
    return shown.some((fault) => cause.faults.some((part) => fault.includes(part)))
  }
  const ofMoney = cases.filter(({ kind }) => kind in OF_MONEY)
  const others = cases.filter(({ kind }) => !(kind in OF_MONEY))
  const left = [...ofMoney.filter((one) => !isExplained(one)), ...explain(others, said).unexplained]
  const groups = Map.groupBy(left, ({ kind, market }) => `${kind} ${market ?? ''}`)
  return [...groups].map(([name, all]) => `${all.length} of ${name}: ${JSON.stringify(all[0])}`)
}
