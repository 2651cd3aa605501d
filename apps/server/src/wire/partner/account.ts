// An account of the partner interface: its profile, its fees, its ledger.
import type {
  FeeConfigurationResponse,
  PartnerLedgerRow,
  PartnerLedgerType,
  PartnerProfileResponse,
} from '@tradepost/contract'
import type { Cents } from '#kernel/money'
import type { EntryType, StatementRow } from '#ledger'
import { hasFactor, type Owner } from '#people'
import type { EffectivePartnerFees } from '#pricing'
import { moneyNumber } from '../money.ts'

/** Subscriptions do not exist. */
export const profileView = (
  account: {
    readonly keyId: string
    readonly balance: Cents
    /** The person who owns it; null for a child. */
    readonly owner: Pick<Owner, 'twoFactorMethod' | 'passkeys' | 'chat'> | null
  },
  message: string,
): PartnerProfileResponse => ({
  type: 'apiKey',
  profile: {
    id: account.keyId,
    balance: moneyNumber(account.balance),
    twoFactor: {
      enabled: account.owner !== null && hasFactor(account.owner),
      method: account.owner?.twoFactorMethod ?? null,
    },
    subscription: { active: false, nextBilling: null, cancelAtPeriodEnd: false },
    chat: account.owner?.chat ?? null,
  },
  message,
})

/** `partnerKeyId` names the partner; `withdrawFeeBps` like the fees in basis points. */
export const feesView = (
  { houseFeeBps, houseFeeOf, partnerFeeBps }: EffectivePartnerFees,
  {
    withdrawFeeBps,
    partnerKeyId,
  }: { readonly withdrawFeeBps: number; readonly partnerKeyId: string },
  message: string,
): FeeConfigurationResponse => ({
  fees: {
    totalSpent: null,
    tier: null,
    reduction: 0,
    currentFee: percent(houseFeeBps + partnerFeeBps),
    platformFee: percent(houseFeeBps),
    partnerFee: percent(partnerFeeBps),
    withdrawFee: percent(withdrawFeeBps),
    progress: null,
    isCustom: houseFeeOf === 'account',
    isSubscribed: false,
    inheritedFrom: houseFeeOf === 'partner' ? { type: 'ApiKey', id: partnerKeyId } : null,
  },
  message,
})

const percent = (bps: number): number => bps / 100

// ---------------------------------------------------------------- ledger

export const ledgerRowView = (row: StatementRow): PartnerLedgerRow => ({
  id: row.id,
  type: ledgerTypeOf(row),
  direction: row.side,
  amount: moneyNumber(row.amount),
  balanceAfter: moneyNumber(row.balanceAfter),
  reference: row.externalRef,
  description: row.description,
  timestamp: row.occurredAt.toISOString(),
})

const LEDGER_TYPES: Readonly<Record<Exclude<EntryType, 'adjustment'>, PartnerLedgerType>> = {
  deposit_credit: 'deposit',
  withdrawal_debit: 'withdrawal',
  trade_payment: 'purchase',
  trade_refund: 'refund',
  trade_payout: 'deposit',
  fee_credit: 'fee',
  fund_in: 'transfer_in',
  fund_out: 'transfer_out',
  transfer_in: 'transfer_in',
  transfer_out: 'transfer_out',
}

function ledgerTypeOf({ type, side }: Pick<StatementRow, 'type' | 'side'>): PartnerLedgerType {
  if (type !== 'adjustment') return LEDGER_TYPES[type]
  return side === 'credit' ? 'transfer_in' : 'transfer_out'
}

const SIDES = ['debit', 'credit'] as const

/** Which rows of the books are shown under a type or a direction. No row is neutral. */
export const rowsShownAs = (
  filter: string,
): readonly { readonly type: EntryType; readonly side: 'debit' | 'credit' }[] =>
  ([...Object.keys(LEDGER_TYPES), 'adjustment'] as EntryType[])
    .flatMap((type) => SIDES.map((side) => ({ type, side })))
    .filter((row) => row.side === filter || ledgerTypeOf(row) === filter)
