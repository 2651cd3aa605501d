// Money in and out as people see it: deposits with what became of each payment, payout custody, destinations,
// and what waits for an administrator.
import { type Static, Type } from 'typebox'
import { cursorListOf, cursorQuery, staleCursorListOf } from '../lists.ts'
import { EVM_ADDRESS_PATTERN } from '../patterns.ts'
import { Cents, DateTime, MoneyNumber, Uuid } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { AdminReason } from './dashboard-admin-accounts.ts'
import { Deposit, DepositMethod, DepositStatus, OnrampPayCurrency } from './deposit.ts'
import { CreateWithdrawalBody, PayoutBalance, Withdrawal, WithdrawalStatus } from './payout.ts'

const text = Type.String()
export const TokenText = describe(text, 'Tokens, as a decimal string.')

// ---------------------------------------------------------------- deposits

export const OwnDepositsQuery = Type.Object(
  {
    status: Type.Optional(DepositStatus),
    method: Type.Optional(DepositMethod),
    userId: Type.Optional(describe(Uuid, 'The account itself, or one of its users.')),
    from: Type.Optional(DateTime),
    to: Type.Optional(DateTime),
    ...cursorQuery,
  },
  { title: 'OwnDepositsQuery' },
)
const userEmail = nullable(describe(text, 'Of a partner’s child: its e-mail address.'))
export const DashboardDeposit = Type.Object(
  {
    ...Deposit.properties,
    cardCharge: nullable(
      describe(
        Type.Object({ amount: MoneyNumber, currency: OnrampPayCurrency }),
        'Of a deposit by card: what the card is charged.',
      ),
    ),
    quotedUsd: nullable(
      describe(MoneyNumber, 'What the quote promised, also once it is credited.'),
    ),
  },
  { title: 'DashboardDeposit' },
)
export type DashboardDeposit = Static<typeof DashboardDeposit>
const OwnDeposit = Type.Object(
  { ...DashboardDeposit.properties, userEmail },
  { title: 'OwnDeposit' },
)
export type OwnDeposit = Static<typeof OwnDeposit>
export const OwnDeposits = cursorListOf('OwnDeposits', OwnDeposit)
export const OwnCustodyDeposits = cursorListOf('OwnCustodyDeposits', Deposit)
export const DepositsOfAccount = staleCursorListOf('DepositsOfAccount', DashboardDeposit)

export const OwnCustodyDepositsQuery = Type.Object(
  {
    status: Type.Optional(stringEnum(['pending', 'completed', 'failed'])),
    from: Type.Optional(DateTime),
    to: Type.Optional(DateTime),
    ...cursorQuery,
  },
  { title: 'OwnCustodyDepositsQuery' },
)

const HELD_STATES = ['held', 'released', 'refused'] as const

export const HeldPayment = Type.Object(
  {
    id: Uuid,
    depositId: Uuid,
    provider: text,
    reference: describe(text, 'The provider’s name of the payment.'),
    amountToken: nullable(TokenText),
    amountUsd: nullable(describe(MoneyNumber, 'What its release credits, before the fee.')),
    problem: describe(text, 'Why it is not credited.'),
    state: stringEnum(HELD_STATES),
    heldAt: DateTime,
    decidedBy: nullable(
      describe(text, 'To administrators: the e-mail address or name of who decided.'),
    ),
    decidedAt: nullable(DateTime),
    decisionReason: nullable(text),
  },
  { title: 'HeldPayment' },
)
export type HeldPayment = Static<typeof HeldPayment>

export const DepositDetail = Type.Object(
  {
    deposit: DashboardDeposit,
    pay: nullable(
      describe(
        Type.Object({
          address: nullable(text),
          qrContent: nullable(text),
          pageUrl: nullable(describe(text, 'The provider’s page for the payer.')),
          missingToken: nullable(describe(TokenText, 'What is left to pay after a part.')),
        }),
        'Where to pay, while it waits for a payment or for the rest of one.',
      ),
    ),
    credits: Type.Array(
      Type.Object({
        at: DateTime,
        reference: text,
        amountToken: TokenText,
        amount: describe(MoneyNumber, 'In the wallet’s currency.'),
        feeUsd: MoneyNumber,
      }),
    ),
    reversals: Type.Array(
      Type.Object({
        at: DateTime,
        reference: text,
        amountToken: TokenText,
        amount: describe(MoneyNumber, 'In the wallet’s currency.'),
        owed: describe(MoneyNumber, 'What the wallet did not cover.'),
      }),
    ),
    held: Type.Array(HeldPayment),
  },
  { title: 'DepositDetail' },
)
export type DepositDetail = Static<typeof DepositDetail>

export const OwnDepositParams = Type.Object({ id: Uuid }, { title: 'OwnDepositParams' })

export const DepositWays = Type.Object(
  {
    gateway: Type.Array(
      Type.Object({
        currency: text,
        chains: Type.Array(text),
        minDepositUsd: MoneyNumber,
      }),
      { description: 'Empty while the payment gateway is switched off.' },
    ),
    isCardOn: Type.Boolean(),
    isChainOn: Type.Boolean(),
  },
  { title: 'DepositWays' },
)
export type DepositWays = Static<typeof DepositWays>

// ---------------------------------------------------------------- payouts

export const Custody = Type.Object(
  {
    totalCents: nullable(describe(Cents, 'Null while a token has no price.')),
    balances: Type.Array(
      Type.Object({
        ...PayoutBalance.properties,
        amountCents: nullable(describe(Cents, 'Its value now; null while it has no price.')),
        pendingCents: nullable(Cents),
        amountToken: TokenText,
      }),
    ),
  },
  { title: 'Custody' },
)
export type Custody = Static<typeof Custody>

export const OwnWithdrawalsQuery = Type.Object(
  {
    status: Type.Optional(WithdrawalStatus),
    userId: Type.Optional(describe(Uuid, 'The account itself, or one of a partner’s children.')),
    externalId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    from: Type.Optional(DateTime),
    to: Type.Optional(DateTime),
    ...cursorQuery,
  },
  { title: 'OwnWithdrawalsQuery' },
)
const OwnWithdrawal = Type.Object(
  { ...Withdrawal.properties, userEmail },
  { title: 'OwnWithdrawal' },
)
export type OwnWithdrawal = Static<typeof OwnWithdrawal>
export const OwnWithdrawals = cursorListOf('OwnWithdrawals', OwnWithdrawal)
export const WithdrawalsOfAccount = staleCursorListOf('WithdrawalsOfAccount', Withdrawal)
export const OwnWithdrawalParams = Type.Object({ id: Uuid }, { title: 'OwnWithdrawalParams' })

export const WithdrawalDetail = Type.Object(
  {
    withdrawal: Withdrawal,
    amountToken: TokenText,
    isHeld: describe(Type.Boolean(), 'Above a limit: an operator of the service decides.'),
    waitsFor: nullable(
      describe(
        stringEnum(['funds', 'fees', 'service']),
        'What an approved one waits for, with nothing for its owner to do: funds on its chain, lower fees there, or the service.',
      ),
    ),
    approval: Type.Object(
      {
        webhookId: describe(text, 'The same in each POST of this withdrawal.'),
        attempts: Type.Array(
          Type.Object({
            number: Type.Integer(),
            startedAt: DateTime,
            endedAt: nullable(DateTime),
            result: nullable(describe(text, 'What was answered, or why nothing was.')),
            request: nullable(describe(text, 'The body that was posted; kept for 30 days.')),
            answer: nullable(describe(text, 'The first 16 KiB that came back; kept for 30 days.')),
          }),
        ),
      },
      { description: 'The approval callback.' },
    ),
  },
  { title: 'WithdrawalDetail' },
)
export type WithdrawalDetail = Static<typeof WithdrawalDetail>

const { externalId, chain, token, destination, amountCents } = CreateWithdrawalBody.properties

export const QuoteWithdrawalBody = Type.Object(
  { chain, token, destination, amountCents },
  {
    title: 'QuoteWithdrawalBody',
    examples: [
      {
        ...{ chain: 'base', token: 'USDC', amountCents: 2500 },
        destination: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      },
    ],
  },
)
export const OwnWithdrawalBody = Type.Object(
  { externalId, chain, token, destination, amountCents },
  {
    title: 'OwnWithdrawalBody',
    examples: [
      {
        ...{ externalId: 'payout-4711', chain: 'base', token: 'USDC', amountCents: 2500 },
        destination: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      },
    ],
  },
)

export const WithdrawalQuote = Type.Object(
  {
    amountToken: describe(TokenText, 'What the destination gets.'),
    feeCents: describe(Cents, 'The network fee of this moment; a withdrawal fixes its own.'),
    feeToken: describe(TokenText, 'The same, taken from custody on top.'),
    totalToken: TokenText,
    heldToken: describe(TokenText, 'What custody holds of the token on this chain.'),
    isCovered: describe(Type.Boolean(), 'Custody holds the total.'),
    isAboveLimit: describe(
      Type.Boolean(),
      'Above the limit of one withdrawal: it waits for an operator of the service.',
    ),
  },
  { title: 'WithdrawalQuote' },
)
export type WithdrawalQuote = Static<typeof WithdrawalQuote>

export const Destinations = Type.Object(
  {
    onlyKnown: describe(Type.Boolean(), 'Withdrawals go only to these destinations.'),
    callbackUrl: nullable(describe(text, 'Where withdrawals are approved.')),
    items: Type.Array(
      Type.Object({
        address: text,
        createdAt: DateTime,
        usableFrom: describe(DateTime, 'A day after it was added.'),
      }),
    ),
    limits: describe(
      Type.Object({ transactionCents: Cents, dayCents: Cents }),
      'Above them a withdrawal waits for an operator of the service.',
    ),
  },
  { title: 'Destinations' },
)
export type Destinations = Static<typeof Destinations>

export const PayoutCallback = Type.Object(
  {
    url: nullable(describe(text, 'Null: withdrawals are approved at the webhook endpoint.')),
    signedBy: nullable(
      describe(
        stringEnum(['webhook', 'callback']),
        'Whose secret signs approvals: the callback’s own, or without one the webhook endpoint’s.',
      ),
    ),
    awaitsConfirmation: Type.Boolean({
      description:
        'The webhook endpoint approves nothing, since its address was set without the right to move money; an owner sets it again.',
    }),
    previousSecretUntil: nullable(
      describe(DateTime, 'Until then the callback’s secret before signs beside the present one.'),
    ),
    secret: nullable(describe(text, 'Of the callback’s own, shown once when it is made.')),
  },
  { title: 'PayoutCallback' },
)
export type PayoutCallback = Static<typeof PayoutCallback>

const EvmAddress = Type.String({
  pattern: EVM_ADDRESS_PATTERN,
  examples: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
})
export const DestinationBody = Type.Object({ address: EvmAddress }, { title: 'DestinationBody' })
export const DestinationParams = Type.Object(
  { address: EvmAddress },
  { title: 'DestinationParams' },
)
export const OnlyKnownBody = Type.Object({ onlyKnown: Type.Boolean() }, { title: 'OnlyKnownBody' })

// ---------------------------------------------------------------- administrators

export const AdminPosting = Type.Object(
  {
    at: DateTime,
    kind: describe(text, 'What was booked.'),
    from: describe(text, 'The account that was debited.'),
    to: describe(text, 'The account that was credited.'),
    amount: describe(text, 'Of the unit, as a decimal string.'),
    unit: describe(text, 'A currency, or a token with its chain.'),
  },
  { title: 'AdminPosting' },
)
export type AdminPosting = Static<typeof AdminPosting>

const OF_ADMINISTRATORS = {
  accountId: describe(Uuid, 'Whose wallet or custody it changes.'),
  accountName: text,
  postings: describe(Type.Array(AdminPosting), 'All that was booked about it, the oldest first.'),
}
export const AdminDeposit = Type.Object(
  { ...DepositDetail.properties, ...OF_ADMINISTRATORS },
  { title: 'AdminDeposit' },
)
export type AdminDeposit = Static<typeof AdminDeposit>
export const AdminWithdrawal = Type.Object(
  {
    ...WithdrawalDetail.properties,
    ...OF_ADMINISTRATORS,
    source: describe(
      stringEnum(['custody', 'wallet']),
      'What pays it: payout custody in kind, or a wallet in cents.',
    ),
    heldReason: nullable(describe(text, 'Why it waits for an administrator.')),
    transactionHold: nullable(
      Type.Object(
        {
          reason: describe(text, 'Its cause, as in the metrics; in capitals a rule of the signer.'),
          runbook: describe(text, 'The page that says what to do.'),
        },
        { description: 'Why its transaction is not signed, or not replaced, by itself.' },
      ),
    ),
    decisions: Type.Array(
      Type.Object({
        at: DateTime,
        decision: stringEnum(['release', 'refuse', 'decide']),
        by: describe(text, 'The e-mail address of an administrator, or an operator’s name.'),
        reason: text,
      }),
      { description: 'What operators decided about it, the oldest first.' },
    ),
  },
  { title: 'AdminWithdrawal' },
)
export type AdminWithdrawal = Static<typeof AdminWithdrawal>

export const HeldPayments = Type.Array(
  Type.Object({
    ...HeldPayment.properties,
    accountId: Uuid,
    accountName: text,
    token: nullable(text),
  }),
)

export const Explorers = Type.Object(
  {
    explorers: Type.Record(Type.String(), Type.String(), {
      description:
        'Base URL by chain; `/tx/<hash>` and `/address/<address>` follow it. Without an entry none is known.',
      examples: [{ base: 'https://basescan.org' }],
    }),
  },
  { title: 'Explorers' },
)

export const DecisionBody = Type.Object(
  { decision: stringEnum(['release', 'refuse']), reason: AdminReason },
  { title: 'DecisionBody' },
)
export const HeldParams = Type.Object({ id: Uuid }, { title: 'HeldParams' })

export const WaitingWithdrawals = Type.Array(
  Type.Object({
    ...Withdrawal.properties,
    ownerId: Uuid,
    ownerName: text,
    heldReason: text,
    amountToken: TokenText,
  }),
)
export const WithdrawalDecision = Type.Object(
  { outcome: stringEnum(['released', 'refunded', 'requested', 'busy', 'too_late']) },
  { title: 'WithdrawalDecision' },
)
