// The merchant interface's view of the merchant itself.
import type {
  FeesResponse as FeesShape,
  MerchantProfile as ProfileShape,
  MerchantStats as StatsShape,
} from '@tradepost/contract'
import type { Merchant, SubUser } from '#identity'
import { type Cents, type Currency, sumCents, ZERO_CENTS } from '#kernel/money'
import type { Wallet, WalletKind } from '#ledger'
import { hasFactor } from '#people'
import type { Status } from '#trades'
import { moneyNumber } from '../money.ts'
import { balanceView } from './wallet.ts'

/** The login of the merchant's owner; null while there is none. */
export interface OwnerLogin {
  readonly emailVerifiedAt: Date | null
  readonly twoFactorMethod: 'email' | 'totp' | null
  readonly passkeys: number
}

export function profileView(
  merchant: Merchant,
  wallets: readonly Wallet[],
  owner: OwnerLogin | null,
): ProfileShape {
  const balanceOf = (kind: WalletKind) => {
    const wallet = wallets.find((one) => one.kind === kind)
    return wallet ? balanceView(wallet) : null
  }
  return {
    id: merchant.id,
    email: merchant.email,
    emailVerified: owner?.emailVerifiedAt != null,
    country: merchant.country,
    roles: ['user', 'merchant'],
    twoFactorEnabled: owner !== null && hasFactor(owner),
    twoFactorMethod: owner?.twoFactorMethod ?? null,
    ...merchant.fees,
    wallets: { spot: balanceOf('spot'), earnings: balanceOf('earnings') },
    createdAt: merchant.createdAt.toISOString(),
  }
}

export const feesView = (
  { fees }: Merchant,
  service: {
    readonly globalDefaultFeeBps: number
    readonly effectiveChildFeeBps: number
    readonly fxSpreadBps: number
  },
): FeesShape => ({
  buyFeeBps: fees.buyFeeBps,
  sellFeeBps: fees.sellFeeBps,
  childDefaultFeeBps: fees.childDefaultFeeBps,
  ...service,
})

/** What trades in one status come to, in the merchant's currency. */
interface Figures {
  readonly tradeCount: number
  /** Of completed trades only. */
  readonly gmvCents: Cents
  /** What settled items brought the merchant. */
  readonly feesCents: Cents
}

export interface TradeTotals extends Figures {
  readonly status: Status
}

export interface AccountFigures extends Figures {
  readonly accountId: string
}

export interface StatsData extends TotalsData {
  readonly accounts: readonly AccountFigures[]
  /** Those that are shown; deleted ones only where they have traded. */
  readonly subUsers: readonly SubUser[]
  /** Spot balances by account id, each in its own currency. */
  readonly balances: ReadonlyMap<string, Cents>
}

export interface TotalsData {
  readonly currency: Currency
  readonly figures: readonly TradeTotals[]
  readonly wallets: readonly Wallet[]
}

export function totalsView({
  currency,
  figures,
  wallets,
}: TotalsData): Pick<StatsShape, 'totals' | 'byStatus'> {
  const balanceOf = (kind: WalletKind): number =>
    moneyNumber(wallets.find((wallet) => wallet.kind === kind)?.balance ?? ZERO_CENTS)
  const total = sumUp(figures)
  return {
    totals: {
      tradeCount: total.tradeCount,
      ...gmvView(total.gmv),
      feesEarnedCents: Number(total.fees),
      feesEarned: moneyNumber(total.fees),
      spotBalance: balanceOf('spot'),
      earningsBalance: balanceOf('earnings'),
      currency,
    },
    byStatus: countByStatus(figures),
  }
}

export function statsView({ accounts, subUsers, balances, ...data }: StatsData): StatsShape {
  const byAccount = new Map(accounts.map((figures) => [figures.accountId, figures]))
  const { totals, byStatus } = totalsView(data)
  return {
    totals,
    bySubUser: subUsers
      .filter((subUser) => subUser.status !== 'deleted' || byAccount.has(subUser.id))
      .map((subUser) => {
        const own = byAccount.get(subUser.id) ?? NO_TRADES
        return {
          subUserId: subUser.id,
          email: subUser.email,
          externalId: subUser.externalId,
          tradeCount: own.tradeCount,
          ...gmvView(own.gmvCents),
          balance: moneyNumber(balances.get(subUser.id) ?? ZERO_CENTS),
          feesContributedCents: Number(own.feesCents),
        }
      }),
    byStatus,
  }
}

const NO_TRADES: Figures = { tradeCount: 0, gmvCents: ZERO_CENTS, feesCents: ZERO_CENTS }

const sumUp = (figures: readonly Figures[]) => ({
  tradeCount: figures.reduce((sum, figure) => sum + figure.tradeCount, 0),
  gmv: sumCents(figures.map((figure) => figure.gmvCents)),
  fees: sumCents(figures.map((figure) => figure.feesCents)),
})

const gmvView = (gmv: Cents) => ({ gmv: moneyNumber(gmv), gmvCents: Number(gmv) })

function countByStatus(figures: readonly TradeTotals[]): StatsShape['byStatus'] {
  const counts: Partial<Record<Status, number>> = {}
  for (const { status, tradeCount } of figures) {
    counts[status] = (counts[status] ?? 0) + tradeCount
  }
  return counts
}
