// What the partner interface's document says beside its operations.
import { OrderEventHeaders } from './events/order.ts'
import { CONVENTIONS, type InterfaceDescription } from './openapi.ts'
import type { PartnerAccess, PartnerRoute } from './partner-route.ts'

const KEYS: Readonly<Record<PartnerAccess, string>> = {
  top: 'Key: the partner’s own. A child’s key is FORBIDDEN.',
  partner: 'Key: any of a partner or a child.',
  any: 'Key: any.',
}

export const PARTNER_INTERFACE: InterfaceDescription = {
  title: 'Tradepost partner interface',
  description: `One account, or a platform with a child account for each of its merchants: search, buy at the exact price of now, follow each order.

${CONVENTIONS}

All money is in US dollars. v2 routes are primary; the v1 routes that they replace are marked as deprecated. Other v1 routes stay.`,
  tags: {
    Children: 'A partner’s child accounts, their money and their totals.',
    Health: 'How the service is.',
    Catalogue: 'Search, prices and live listings.',
    Buying: 'Orders.',
    Account: 'The account of the key: balance, fees, orders, ledger.',
    Wallet: 'Money into the account of the key.',
    Legacy: 'Routes that v2 replaces.',
  },
  budgetHolder: 'account',
  security: {
    name: 'apiKey',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'One key for each request, bound to one partner or child account.',
    },
  },
  webhookHeaders: OrderEventHeaders,
  detailsOf: (route) =>
    KEYS[(route as PartnerRoute).access] +
    (route.legacy === undefined ? '' : ` Replaced by ${route.legacy.successor}.`),
  parametersOf: () => [],
  parameters: () => ({}),
}
