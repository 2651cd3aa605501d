// The dashboard's views of money in and out.
import type {
  Custody,
  DepositDetail,
  Destinations,
  HeldPayment as HeldShape,
  ServiceWallet,
  WithdrawalDetail,
} from '@tradepost/contract'
import type { Static } from 'typebox'
import type { CreditEntry, Deposit, HeldPayment, OrderDetails, ReversalEntry } from '#deposits'
import { formatDecimal, fromUnits } from '#kernel/decimal'
import type { listServiceWallets } from '#outbound'
import type {
  ApprovalAttempt,
  CustodyBalance,
  Destination,
  MerchantSettings,
  PayableToken,
  PayoutLimits,
  Withdrawal,
} from '#payouts'
import { depositView } from '../merchant/deposit.ts'
import { merchantEvents } from '../merchant/events/index.ts'
import { NATIVE_TOKEN_ADDRESS, withdrawalView } from '../merchant/payout.ts'
import { moneyNumber } from '../money.ts'

export const heldView = (held: HeldPayment): HeldShape => ({
  id: held.id,
  depositId: held.depositId,
  provider: held.provider,
  reference: held.settlementRef,
  amountToken: held.amount === null ? null : formatDecimal(held.amount),
  amountUsd: held.usdCents === null ? null : moneyNumber(held.usdCents),
  problem: held.problem,
  state: held.state,
  heldAt: held.heldAt.toISOString(),
  decidedBy: held.decidedBy,
  decidedAt: held.decidedAt?.toISOString() ?? null,
  decisionReason: held.decisionReason,
})

/** What the operator wrote is the service's own; a merchant learns that it was decided. */
const ownHeldView = (held: HeldPayment): HeldShape => ({
  ...heldView(held),
  decidedBy: null,
  decisionReason: null,
})

export const depositDetailView = ({
  deposit,
  entries: { credits, reversals },
  held,
  details,
}: {
  readonly deposit: Deposit
  readonly entries: {
    readonly credits: readonly CreditEntry[]
    readonly reversals: readonly ReversalEntry[]
  }
  readonly held: readonly HeldPayment[]
  readonly details: OrderDetails
}): DepositDetail => ({
  deposit: depositView(deposit),
  pay:
    deposit.status === 'initiated' && deposit.method !== 'crypto'
      ? payView(deposit, details)
      : null,
  credits: credits.map(({ at, reference, amountToken, amount, fee }) => ({
    ...{ at: at.toISOString(), reference, amountToken: formatDecimal(amountToken) },
    ...{ amount: moneyNumber(amount), feeUsd: moneyNumber(fee) },
  })),
  reversals: reversals.map(({ at, reference, amountToken, amount, owed }) => ({
    ...{ at: at.toISOString(), reference, amountToken: formatDecimal(amountToken) },
    ...{ amount: moneyNumber(amount), owed: moneyNumber(owed) },
  })),
  held: held.map(ownHeldView),
})

const payView = (
  { address }: Deposit,
  { qrContent, whitelabelUrl, widgetUrl }: OrderDetails,
): NonNullable<DepositDetail['pay']> => ({
  address,
  qrContent: qrContent ?? address,
  pageUrl: widgetUrl ?? whitelabelUrl ?? null,
})

interface ValuedBalance {
  readonly balance: CustodyBalance
  readonly token: PayableToken | null
  worth(units: bigint): bigint | null
}

export function custodyView(valued: readonly ValuedBalance[]): Custody {
  const amounts = valued.map(({ balance, worth }) =>
    balance.units === 0n ? 0n : worth(balance.units),
  )
  const isWhole = amounts.every((amount) => amount !== null)
  return {
    totalCents: isWhole ? Number(amounts.reduce((sum, amount) => sum + (amount ?? 0n), 0n)) : null,
    balances: valued.map(
      ({ balance: { chain, token: symbol, units, pendingUnits }, token, worth }, i) => ({
        ...{ chain, token: symbol, tokenAddress: token?.address ?? NATIVE_TOKEN_ADDRESS },
        amountWei: units.toString(),
        amountToken: formatDecimal(fromUnits(units, token?.decimals ?? 18)),
        amountCents: numberOrNull(amounts[i] ?? null),
        pendingCents: pendingUnits === 0n ? 0 : numberOrNull(worth(pendingUnits)),
      }),
    ),
  }
}

const numberOrNull = (value: bigint | null): number | null =>
  value === null ? null : Number(value)

const tokensOf = ({ units, decimals }: Withdrawal): string =>
  formatDecimal(fromUnits(units, decimals))

/** As it stood while it was asked about. */
const asked = (withdrawal: Withdrawal): Withdrawal => ({
  ...withdrawal,
  status: 'pending_callback',
  ...{ txHash: null, failureReason: null, broadcastAt: null, confirmedAt: null },
})

const APPROVAL = 'payout.crypto.withdraw.approval'

export const withdrawalDetailView = (
  withdrawal: Withdrawal,
  attempts: readonly ApprovalAttempt[],
): WithdrawalDetail => ({
  withdrawal: withdrawalView(withdrawal),
  amountToken: tokensOf(withdrawal),
  isHeld: withdrawal.heldReason !== null,
  approval: {
    webhookId: withdrawal.approvalId,
    request: JSON.stringify(merchantEvents[APPROVAL].render(asked(withdrawal), {}), null, 2),
    attempts: attempts.map(({ number, startedAt, endedAt, result }) => ({
      ...{ number, startedAt: startedAt.toISOString(), result },
      endedAt: endedAt?.toISOString() ?? null,
    })),
  },
})

export const waitingWithdrawalView = (withdrawal: Withdrawal) => ({
  ...withdrawalView(withdrawal),
  ownerId: withdrawal.ownerId,
  heldReason: withdrawal.heldReason ?? '',
  amountToken: tokensOf(withdrawal),
})

export const destinationsView = ({
  settings,
  items,
  limits,
}: {
  readonly settings: MerchantSettings
  readonly items: readonly Destination[]
  readonly limits: PayoutLimits
}): Destinations => ({
  onlyKnown: settings.onlyKnownDestinations,
  callbackUrl: settings.callbackUrl,
  items: items.map(({ address, createdAt, usableFrom }) => ({
    address,
    createdAt: createdAt.toISOString(),
    usableFrom: usableFrom.toISOString(),
  })),
  limits: {
    transactionCents: Number(limits.perTransaction),
    dayCents: Number(limits.perMerchantDay),
  },
})

export const serviceWalletView = ({
  chain,
  keyRef,
  address,
  nextNonce,
  state,
  haltedReason,
}: Awaited<ReturnType<typeof listServiceWallets>>[number]): Static<typeof ServiceWallet> => ({
  ...{ chain, key: keyRef, address, nextNonce, state, haltedReason },
})
