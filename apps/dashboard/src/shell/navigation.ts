// What each kind of account finds in the navigation. `key` is pressed after `g`.

import type { LinkProps } from '@tanstack/react-router'
import type { AdminWaiting, DashboardUser } from '@tradepost/contract'
import { money } from '../texts/money.ts'
import { texts } from '../texts/texts.ts'

export type AccountKind = DashboardUser['accountKind']

export interface NavigationItem {
  readonly to: NonNullable<LinkProps['to']>
  readonly label: string
  readonly key?: string
  /** What of it waits for an administrator. */
  readonly waiting?: keyof AdminWaiting
}

export interface NavigationGroup {
  readonly label: string | null
  readonly items: readonly NavigationItem[]
}

const { nav } = texts
const { groups } = nav

const DEVELOP: NavigationGroup = {
  label: groups.develop,
  items: [
    { to: '/keys', label: nav.keys, key: 'k' },
    { to: '/webhook', label: nav.webhook, key: 'w' },
  ],
}
const ADMIN_MONEY: NavigationGroup = {
  label: groups.money,
  items: [
    { to: '/admin/held-payments', label: nav.heldPayments, key: 'm', waiting: 'heldPayments' },
    { to: '/admin/withdrawals', label: nav.waitingWithdrawals, key: 'w', waiting: 'withdrawals' },
    { to: '/admin/wallets', label: nav.hotWallets },
  ],
}
const LOGIN: NavigationItem = { to: '/login-settings', label: nav.login, key: 's' }
const ACCOUNT: NavigationGroup = {
  label: groups.account,
  items: [
    { to: '/team', label: nav.team, key: 't' },
    LOGIN,
    { to: '/audit', label: nav.audit, key: 'a' },
  ],
}

const NAVIGATION: Readonly<Record<AccountKind, readonly NavigationGroup[]>> = {
  merchant: [
    {
      label: groups.trading,
      items: [
        { to: '/overview', label: nav.overview, key: 'o' },
        { to: '/trades', label: nav.trades, key: 'd' },
        { to: '/users', label: nav.users, key: 'u' },
        { to: '/market', label: nav.market, key: 'm' },
        { to: '/market-orders', label: nav.marketOrders },
      ],
    },
    {
      label: groups.money,
      items: [
        { to: '/wallets/{-$tab}', label: nav.wallets, key: 'b' },
        { to: '/statements', label: nav.statements },
        { to: '/deposits', label: nav.deposits, key: 'i' },
        { to: '/payouts', label: nav.payouts, key: 'p' },
        { to: '/fees', label: nav.fees, key: 'f' },
      ],
    },
    {
      ...DEVELOP,
      items: [
        ...DEVELOP.items,
        { to: '/events', label: nav.events, key: 'e' },
        { to: '/limits', label: nav.limits, key: 'l' },
      ],
    },
    ACCOUNT,
  ],
  partner: [
    {
      label: groups.trading,
      items: [
        { to: '/partner', label: nav.overview, key: 'o' },
        { to: '/children', label: nav.children, key: 'c' },
        { to: '/orders', label: nav.orders, key: 'd' },
      ],
    },
    {
      label: groups.money,
      items: [
        { to: '/transfers', label: nav.transfers, key: 'x' },
        { to: '/partner-ledger', label: nav.ledger, key: 'b' },
        { to: '/statements', label: nav.statements },
        { to: '/deposits', label: nav.deposits, key: 'i' },
        { to: '/partner-withdrawals', label: nav.withdrawals, key: 'p' },
        { to: '/partner-fees', label: nav.fees, key: 'f' },
      ],
    },
    DEVELOP,
    ACCOUNT,
  ],
  admin: [
    {
      label: groups.service,
      items: [
        { to: '/admin/overview', label: nav.overview, key: 'o' },
        { to: '/admin/accounts', label: nav.accounts, key: 'a' },
        { to: '/admin/find', label: nav.find, key: 'f' },
        { to: '/admin/queues', label: nav.queues, key: 'q' },
        { to: '/admin/switches', label: nav.switches },
      ],
    },
    {
      label: groups.records,
      items: [
        { to: '/admin/trades', label: nav.trades, key: 't' },
        { to: '/admin/market-orders', label: nav.marketOrders },
        { to: '/admin/cases', label: nav.cases, key: 'c', waiting: 'cases' },
        { to: '/admin/deliveries', label: nav.deliveries, key: 'd' },
        { to: '/admin/adjustments', label: nav.adjustments, key: 'j', waiting: 'adjustments' },
        { to: '/admin/books', label: nav.books, key: 'b' },
        { to: '/admin/audit-log', label: nav.auditLog, key: 'l' },
      ],
    },
    ADMIN_MONEY,
    { label: groups.account, items: [LOGIN] },
  ],
}

const { payouts } = money
/** Pages that are the tabs of one; the navigation shows the first. */
export const PAYOUT_PAGES: readonly NavigationItem[] = [
  { to: '/payouts', label: payouts.custody },
  { to: '/payouts/deposits', label: payouts.deposits },
  { to: '/payouts/withdrawals', label: payouts.withdrawals },
  { to: '/payouts/batches', label: payouts.batches },
  { to: '/payouts/destinations', label: payouts.destinations },
]
export const WEBHOOK_PAGES: readonly NavigationItem[] = [
  { to: '/webhook', label: texts.webhook.endpoints },
  { to: '/webhook/deliveries', label: texts.webhook.deliveries },
]

/** Pages behind a tab of another one: the palette finds them, too. */
const BEHIND_TABS: Readonly<Record<AccountKind, readonly NavigationItem[]>> = {
  merchant: [...PAYOUT_PAGES.slice(1), ...WEBHOOK_PAGES.slice(1)],
  partner: WEBHOOK_PAGES.slice(1),
  admin: [],
}

export const pagesBehindTabs = (kind: AccountKind): readonly NavigationItem[] => BEHIND_TABS[kind]

export const navigationOf = (kind: AccountKind): readonly NavigationGroup[] => NAVIGATION[kind]

/** Its first tab: a link without parameters would keep the tab of the page that it is on. */
export const linkOfItem = ({ to }: NavigationItem): Pick<LinkProps, 'to' | 'params'> =>
  ({ to, params: { tab: undefined } }) as Pick<LinkProps, 'to' | 'params'>

/** The page that a login leads to. */
export const firstPageOf = (kind: AccountKind): NavigationItem['to'] =>
  NAVIGATION[kind][0]?.items[0]?.to ?? '/login-settings'

const pathsOf = (kind: AccountKind): string[] =>
  NAVIGATION[kind].flatMap(({ items }) => items.map(({ to }) => to.replace('/{-$tab}', '')))

/** A path of the navigation of another kind of account, and of none of its own. */
export const isPageOfOthers = (kind: AccountKind, path: string): boolean =>
  !pathsOf(kind).includes(path) &&
  (Object.keys(NAVIGATION) as AccountKind[]).some((other) => pathsOf(other).includes(path))
