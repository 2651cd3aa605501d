// The dashboard's views of money in and out.
import type {
  AdminDeposit,
  AdminPosting,
  AdminWithdrawal,
  BatchPreview,
  Custody,
  DashboardDeposit,
  DepositDetail,
  Destinations,
  HeldPayment as HeldShape,
  OnrampPayCurrency,
  PayoutCallback,
  ServiceWallet,
  WithdrawalDetail,
  WithdrawalQuote,
} from '@tradepost/contract'
import type { Static } from 'typebox'
import type { PostingInKind } from '#custody'
import type { Deposit, HeldPayment, OrderDetails } from '#deposits'
import { attos, formatDecimal, fromUnits, ONE_TOKEN } from '#kernel/decimal'
import { cents, formatCents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import type { PostingAbout } from '#ledger'
import type {
  CustodyDepositInspection,
  DepositInspection,
  ServiceWallet as ServiceWalletNow,
  WithdrawalInspection,
} from '#operations'
import type {
  AcceptedLine,
  ApprovalAttempt,
  CustodyBalance,
  CustodyDeposit,
  CustodyQuote,
  Destination,
  MerchantSettings,
  PayableToken,
  PayoutLimits,
  Withdrawal,
} from '#payouts'
import { depositView, receivedSoFar } from '../merchant/deposit.ts'
import { custodyDepositView, NATIVE_TOKEN_ADDRESS, withdrawalView } from '../merchant/payout.ts'
import { moneyNumber } from '../money.ts'

/** E-mail addresses by the id of the person. */
type Names = ReadonlyMap<string, string>

/** As administrators see it: with who decided, by name, and why. */
export const heldView = (held: HeldPayment, names: Names): HeldShape => ({
  ...ownHeldView(held),
  decidedBy: held.decidedBy && (names.get(held.decidedBy) ?? held.decidedBy),
  decisionReason: held.decisionReason,
})

/** What the operator wrote is the service's own; a merchant learns that it was decided. */
const ownHeldView = (held: HeldPayment): HeldShape => ({
  id: held.id,
  depositId: held.depositId,
  provider: held.provider,
  reference: held.settlementRef,
  amountToken: held.amount === null ? null : formatDecimal(held.amount),
  amountUsd: held.usdCents === null ? null : moneyNumber(held.usdCents),
  problem: held.problem,
  state: held.state,
  heldAt: held.heldAt.toISOString(),
  decidedBy: null,
  decidedAt: held.decidedAt?.toISOString() ?? null,
  decisionReason: null,
})

/** `payAmount` of a card is exact to the hundredth of its currency. */
export const dashboardDepositView = (deposit: Deposit): DashboardDeposit => ({
  ...depositView(deposit),
  cardCharge:
    deposit.method === 'onramp' && deposit.payAmount !== null
      ? {
          amount: moneyNumber(cents(deposit.payAmount / (ONE_TOKEN / 100n))),
          currency: deposit.token as OnrampPayCurrency,
        }
      : null,
  quotedUsd: deposit.receiveUsd === null ? null : moneyNumber(deposit.receiveUsd),
})

export const depositDetailView = ({
  deposit,
  entries: { credits, reversals },
  held,
  details,
}: Omit<DepositInspection, 'postings'>): DepositDetail => ({
  deposit: dashboardDepositView(deposit),
  pay: isPayable(deposit) ? payView(deposit, details) : null,
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

/**
 * An order of the gateway that was paid in part, which has no reason, takes the rest at the same address,
 * also after its end.
 */
const isPayable = ({ method, status, substate }: Deposit): boolean =>
  (status === 'initiated' && method !== 'crypto') ||
  ((status === 'pending' || status === 'partial') && method === 'gateway' && substate === null)

/** A deposit into payout custody: no provider, no wallet, credited in kind. */
export const custodyDepositDetailView = (
  deposit: CustodyDeposit,
  userExternalId: string | null,
): DepositDetail => ({
  deposit: { ...custodyDepositView(deposit, userExternalId), cardCharge: null, quotedUsd: null },
  ...{ pay: null, credits: [], reversals: [], held: [] },
})

const payView = (
  deposit: Deposit,
  { qrContent, whitelabelUrl, widgetUrl }: OrderDetails,
): NonNullable<DepositDetail['pay']> => ({
  address: deposit.address,
  qrContent: qrContent ?? deposit.address,
  pageUrl: widgetUrl ?? whitelabelUrl ?? null,
  missingToken: missingOf(deposit),
})

function missingOf(deposit: Deposit): string | null {
  const received = receivedSoFar(deposit)
  const isPart = deposit.payAmount !== null && received > 0n && received < deposit.payAmount
  return isPart ? formatDecimal(attos(deposit.payAmount - received)) : null
}

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

export const withdrawalDetailView = (
  withdrawal: Withdrawal,
  {
    attempts,
    transactionHold,
  }: { readonly attempts: readonly ApprovalAttempt[]; readonly transactionHold: string | null },
): WithdrawalDetail => ({
  withdrawal: withdrawalView(withdrawal),
  amountToken: tokensOf(withdrawal),
  isHeld: withdrawal.heldReason !== null,
  waitsFor: transactionHold === null ? null : holdOf(transactionHold).waitsFor,
  approval: {
    webhookId: withdrawal.approvalId,
    attempts: attempts.map(({ number, startedAt, endedAt, result, sent, answer }) => ({
      ...{ number, startedAt: startedAt.toISOString(), result },
      endedAt: endedAt?.toISOString() ?? null,
      ...{ request: sent, answer },
    })),
  },
})

interface Hold {
  /** What its owner learns: which funds are short, and whose, is the service's own business. */
  readonly waitsFor: NonNullable<WithdrawalDetail['waitsFor']>
  readonly runbook: string
}

const LOW: Hold = { waitsFor: 'funds', runbook: 'docs/runbooks/hot-wallet-low.md' }
const HOLDS: Readonly<Record<string, Hold | undefined>> = {
  ...{ hot_wallet_low: LOW, capital_low: LOW, gas_low: LOW, gas_capital_low: LOW },
  fee_cap: { waitsFor: 'fees', runbook: 'docs/runbooks/payout-stuck.md' },
  wallet_frozen: { waitsFor: 'service', runbook: 'docs/runbooks/wallet-frozen.md' },
}
/** Every other reason is a rule of the signer. */
const SIGNER_REFUSED: Hold = { waitsFor: 'service', runbook: 'docs/runbooks/payout-stuck.md' }
const holdOf = (reason: string): Hold => HOLDS[reason] ?? SIGNER_REFUSED

/** `heldUnits`: what custody holds of the token on the chain. */
/** `perTransaction` is the limit of one withdrawal, in cents. */
export function batchPreviewView(
  lines: readonly (AcceptedLine | Refusal)[],
  perTransaction: bigint,
): BatchPreview {
  const accepted = lines.flatMap((line) => (line instanceof Refusal ? [] : line))
  const sum = (of: (line: AcceptedLine) => bigint): number =>
    Number(accepted.reduce((total, line) => total + of(line), 0n))
  return {
    lines: lines.map((line) => {
      if (line instanceof Refusal) {
        const reason = line.details?.reason
        const refusal = { key: line.key, reason: typeof reason === 'string' ? reason : null }
        return { refusal, feeCents: null, amountToken: null }
      }
      const { feeCents, decimals } = line.token
      const amountToken = formatDecimal(fromUnits(line.units, decimals))
      return { refusal: null, feeCents: Number(feeCents), amountToken }
    }),
    amountCents: sum(({ request }) => request.amountCents),
    feeCents: sum(({ token }) => token.feeCents),
    aboveLimit: accepted.filter(({ request }) => request.amountCents > perTransaction).length,
  }
}

export function withdrawalQuoteView(
  { token: { feeCents, decimals }, units, feeUnits }: CustodyQuote,
  { heldUnits, isAboveLimit }: { readonly heldUnits: bigint; readonly isAboveLimit: boolean },
): WithdrawalQuote {
  const tokens = (amount: bigint): string => formatDecimal(fromUnits(amount, decimals))
  const totalUnits = units + feeUnits
  return {
    ...{ amountToken: tokens(units), feeCents: Number(feeCents), feeToken: tokens(feeUnits) },
    ...{ totalToken: tokens(totalUnits), heldToken: tokens(heldUnits) },
    ...{ isCovered: heldUnits >= totalUnits, isAboveLimit },
  }
}

export const waitingWithdrawalView = (withdrawal: Withdrawal, ownerName: string) => ({
  ...withdrawalView(withdrawal),
  ...{ ownerId: withdrawal.ownerId, ownerName },
  heldReason: withdrawal.heldReason ?? '',
  amountToken: tokensOf(withdrawal),
})

export const adminDepositView = (
  found: DepositInspection,
  { accountName, names }: { readonly accountName: string; readonly names: Names },
): AdminDeposit => ({
  ...depositDetailView(found),
  held: found.held.map((held) => heldView(held, names)),
  ...{ accountId: found.deposit.accountId, accountName },
  postings: found.postings.map(postingView),
})

export const adminCustodyDepositView = (
  { deposit, postings }: CustodyDepositInspection,
  accountName: string,
): AdminDeposit => ({
  ...custodyDepositDetailView(deposit, null),
  ...{ accountId: deposit.merchantId, accountName },
  postings: postings.map((posting) => postingInKindView(posting, deposit.decimals)),
})

export const adminWithdrawalView = (
  {
    withdrawal,
    attempts,
    postings,
    postingsInKind,
    decisions,
    transactionHold,
  }: WithdrawalInspection,
  { accountName, names }: { readonly accountName: string; readonly names: Names },
): AdminWithdrawal => ({
  ...withdrawalDetailView(withdrawal, { attempts, transactionHold }),
  ...{ accountId: withdrawal.ownerId, accountName },
  ...{ source: withdrawal.source, heldReason: withdrawal.heldReason },
  transactionHold:
    transactionHold === null
      ? null
      : { reason: transactionHold, runbook: holdOf(transactionHold).runbook },
  decisions: decisions.map(({ at, decision, actorId, reason }) => ({
    ...{ at: at.toISOString(), decision, by: names.get(actorId) ?? actorId, reason },
  })),
  postings: [
    ...postings.map(postingView),
    // Every posting about a withdrawal is in the token that it pays.
    ...postingsInKind.map((posting) => postingInKindView(posting, withdrawal.decimals)),
  ].sort((one, other) => one.at.localeCompare(other.at)),
})

const postingInKindView = (
  { createdAt, reason, debit, credit, units, token, chain }: PostingInKind,
  decimals: number,
): AdminPosting => ({
  ...{ at: createdAt.toISOString(), kind: reason, from: debit, to: credit },
  ...{ amount: formatDecimal(fromUnits(units, decimals)), unit: `${token} ${chain}` },
})

const postingView = ({
  createdAt,
  kind,
  debit,
  credit,
  amount,
  currency,
}: PostingAbout): AdminPosting => ({
  ...{ at: createdAt.toISOString(), kind, from: debit, to: credit },
  ...{ amount: formatCents(cents(amount)), unit: currency },
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
  callbackUrl: settings.callback?.url ?? null,
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

/** `secret` is given when it was made, once. */
export const callbackView = (
  { callback, isEndpointConfirmed }: MerchantSettings,
  {
    hasEndpoint,
    secret = null,
  }: { readonly hasEndpoint: boolean; readonly secret?: string | null },
): PayoutCallback => ({
  url: callback?.url ?? null,
  signedBy: callback ? 'callback' : hasEndpoint ? 'webhook' : null,
  awaitsConfirmation: callback === null && hasEndpoint && !isEndpointConfirmed,
  previousSecretUntil: callback?.previousSecretUntil?.toISOString() ?? null,
  secret,
})

export const serviceWalletView = ({
  chain,
  keyRef,
  address,
  nextNonce,
  state,
  haltedReason,
  balances,
}: ServiceWalletNow): Static<typeof ServiceWallet> => ({
  ...{ chain, key: keyRef, address, nextNonce, state, haltedReason },
  balances: balances.map(({ token, decimals, booked, onNode, queued, isLow }) => {
    const tokens = (units: bigint): string => formatDecimal(fromUnits(units, decimals))
    return {
      ...{ token, booked: tokens(booked), onNode: onNode && tokens(onNode.units) },
      comparedAt: onNode?.comparedAt.toISOString() ?? null,
      ...{ queued: tokens(queued), isLow },
    }
  }),
})
