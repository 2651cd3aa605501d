// The merchant interface's view of a sub-user, with its wallet where the shape has one.
import type {
  CreateSubUserResponse as CreatedShape,
  DashboardSubUser,
  SubUserListItem as ListItemShape,
  SubUserListResponse as ListShape,
  SubUserResponse as SubUserShape,
  SubUserWallet as WalletShape,
} from '@tradepost/contract'
import type { SubUser } from '#identity'
import { type Cents, ZERO_CENTS } from '#kernel/money'
import type { Page } from '#kernel/page'
import type { Wallet } from '#ledger'
import type { LimitUse } from '#trades'
import { moneyNumber } from '../money.ts'

export const subUserView = (subUser: SubUser, wallet: Wallet): SubUserShape => ({
  ...identityView(subUser),
  wallet: walletView(subUser, wallet),
  limits: limitsView(subUser),
})

/** For a page. */
export const limitUseView = ({ spentToday, openTrades }: LimitUse): DashboardSubUser['used'] => ({
  dayCents: Number(spentToday),
  openTrades,
})

function limitsView({
  limitPerTrade,
  limitPerDay,
  limitOpenTrades,
}: SubUser): SubUserShape['limits'] {
  if (limitPerTrade === null && limitPerDay === null && limitOpenTrades === null) return null
  return {
    ...(limitPerTrade !== null && { perTradeCents: Number(limitPerTrade) }),
    ...(limitPerDay !== null && { perDayCents: Number(limitPerDay) }),
    ...(limitOpenTrades !== null && { openTrades: limitOpenTrades }),
  }
}

export const createdView = (subUser: SubUser, replayed: boolean): CreatedShape => ({
  ...identityView(subUser),
  currency: subUser.currency,
  idempotent: replayed,
})

/** `balances` by account id. */
export const subUserListView = (
  { items, total, page, limit, totalPages }: Page<SubUser>,
  balances: ReadonlyMap<string, Cents>,
): ListShape => ({
  items: items.map((subUser) => subUserListItemView(subUser, balances.get(subUser.id))),
  total,
  page,
  limit,
  totalPages,
})

export const subUserListItemView = (
  subUser: SubUser,
  balance: Cents = ZERO_CENTS,
): ListItemShape => ({
  ...identityView(subUser),
  currency: subUser.currency,
  balance: moneyNumber(balance),
})

const identityView = (subUser: SubUser) => ({
  id: subUser.id,
  email: subUser.email,
  platformId: subUser.platformId,
  externalId: subUser.externalId,
  status: subUser.status,
  feeBps: subUser.feeBps,
  createdAt: subUser.createdAt.toISOString(),
})

/** A suspended sub-user's wallet still takes what arrives; it only cannot be spent from. */
const walletView = ({ status }: SubUser, { currency, balance }: Wallet): WalletShape => ({
  type: 'spot',
  status: status === 'deleted' ? 'closed' : status,
  currency,
  balance: moneyNumber(balance),
})
