// Payout custody: withdrawals to addresses outside, what can be withdrawn, and what was put in.
import { type Static, type TSchema, Type } from 'typebox'
import { cursorListOf, cursorQuery } from '../lists.ts'
import { Cents, DateTime, ExternalId, UserReference, Uuid } from '../primitives.ts'
import { describe, nullable, stringEnum, withExample } from '../schema.ts'
import { Deposit } from './deposit.ts'

export const WITHDRAWAL_STATUSES = [
  'pending_callback',
  'queued',
  'broadcast',
  'confirmed',
  'refunded',
] as const
export const WithdrawalStatus = stringEnum(WITHDRAWAL_STATUSES, { title: 'WithdrawalStatus' })
export type WithdrawalStatus = Static<typeof WithdrawalStatus>

/** NATIVE is the chain's own coin: BNB on bsc, ETH on the others. */
export const PAYOUT_TOKENS = ['USDT', 'USDC', 'NATIVE'] as const
export const PayoutToken = stringEnum(PAYOUT_TOKENS, { title: 'PayoutToken' })
export type PayoutToken = Static<typeof PayoutToken>

/** Any text: one that is no chain of ours is refused by its own key, whatever it looks like. */
export const ChainName = Type.String({
  examples: ['base'],
  description: '`ethereum`, `base`, `arbitrum`, `optimism` or `bsc`.',
})
const text = Type.String()
const BaseUnitsText = Type.String({
  pattern: '^-?\\d+$',
  examples: ['25000000'],
  description: 'Base units of the token on its chain.',
})

export const Withdrawal = Type.Object(
  {
    id: Uuid,
    userId: describe(Uuid, 'The merchant.'),
    externalId: describe(text, 'Your reference: one withdrawal for each.'),
    forUserId: nullable(Uuid),
    forUserExternalId: nullable(text),
    status: WithdrawalStatus,
    chain: text,
    token: text,
    tokenAddress: describe(text, 'The contract; 0xeeee… stands for the native coin.'),
    destination: text,
    amountCents: Cents,
    feeCents: describe(Cents, 'The network fee, taken from custody in the same token, on top.'),
    amountWei: BaseUnitsText,
    txHash: nullable(text),
    failureReason: nullable(text),
    callbackAttempts: Type.Integer(),
    createdAt: DateTime,
    broadcastAt: nullable(DateTime),
    confirmedAt: nullable(DateTime),
  },
  { title: 'Withdrawal' },
)
export type Withdrawal = Static<typeof Withdrawal>

export const CreateWithdrawalBody = Type.Object(
  {
    externalId: describe(
      ExternalId,
      'Your reference. The same one again returns the first answer.',
    ),
    chain: ChainName,
    token: PayoutToken,
    destination: Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'An address outside of the service. In mixed case it must have a valid EIP-55 checksum.',
      examples: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
    }),
    amountCents: Type.Integer({
      minimum: 1,
      maximum: 9_007_199_254_740_991,
      description: 'From 100 to 10,000,000, valued at the rate of the request.',
    }),
    forUser: Type.Optional(
      describe(UserReference, 'A sub-user that it is for: attribution, it limits nothing.'),
    ),
  },
  {
    title: 'CreateWithdrawalBody',
    additionalProperties: false,
    examples: [
      {
        externalId: 'payout-4711',
        chain: 'base',
        token: 'USDC',
        destination: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        amountCents: 2500,
        forUser: 'user-77',
      },
    ],
  },
)
export type CreateWithdrawalBody = Static<typeof CreateWithdrawalBody>

export const MAX_BATCH_WITHDRAWALS = 500

export const CreatePayoutBatchBody = Type.Object(
  {
    externalId: describe(
      ExternalId,
      'Your reference of the batch. The same one again returns the first answer.',
    ),
    withdrawals: Type.Array(CreateWithdrawalBody, {
      minItems: 1,
      maxItems: MAX_BATCH_WITHDRAWALS,
      description: 'In the order in which they are judged. Each has an `externalId` of its own.',
    }),
  },
  {
    title: 'CreatePayoutBatchBody',
    additionalProperties: false,
    examples: [
      {
        externalId: 'payday-2026-11',
        withdrawals: [
          {
            ...{ externalId: 'payout-4712', chain: 'base', token: 'USDC', amountCents: 2500 },
            destination: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
          },
          {
            ...{ externalId: 'payout-4713', chain: 'base', token: 'USDC', amountCents: 1250 },
            destination: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
          },
        ],
      },
    ],
  },
)
export type CreatePayoutBatchBody = Static<typeof CreatePayoutBatchBody>

export const PayoutBatch = Type.Object(
  {
    id: Uuid,
    externalId: text,
    total: describe(Type.Integer(), 'How many withdrawals it has.'),
    byStatus: describe(
      Type.Partial(
        Type.Object({
          pending_callback: describe(Type.Integer(), 'Your callback is asked for them.'),
          queued: describe(Type.Integer(), 'Approved, and not sent yet.'),
          broadcast: describe(Type.Integer(), 'Sent to their chain.'),
          confirmed: describe(Type.Integer(), 'Paid for good.'),
          refunded: describe(Type.Integer(), 'Not paid: back in custody.'),
        } satisfies Record<WithdrawalStatus, TSchema>),
      ),
      'How many are in each status; a status that none is in is absent.',
    ),
    createdAt: DateTime,
  },
  { title: 'PayoutBatch' },
)
export type PayoutBatch = Static<typeof PayoutBatch>

export const PayoutBatchParams = Type.Object({ id: Uuid }, { additionalProperties: false })

const { chain, token, amountCents } = CreateWithdrawalBody.properties

export const PayoutQuoteBody = Type.Object(
  { chain, token, amountCents },
  {
    title: 'PayoutQuoteBody',
    additionalProperties: false,
    examples: [{ chain: 'base', token: 'USDC', amountCents: 2500 }],
  },
)
export type PayoutQuoteBody = Static<typeof PayoutQuoteBody>

export const PayoutQuote = Type.Object(
  {
    amountWei: describe(BaseUnitsText, 'What the destination gets, in base units of the token.'),
    feeCents: describe(Cents, 'The network fee, taken from custody on top.'),
    feeWei: describe(BaseUnitsText, 'The same in base units of the token.'),
    validForSeconds: describe(
      Type.Integer({ minimum: 0 }),
      'A withdrawal of this amount, chain and token gets these figures for so long.',
    ),
  },
  { title: 'PayoutQuote' },
)
export type PayoutQuote = Static<typeof PayoutQuote>

export const WithdrawalParams = Type.Object({ id: Uuid }, { additionalProperties: false })

export const WithdrawalListQuery = Type.Object(
  {
    status: Type.Optional(WithdrawalStatus),
    externalId: Type.Optional(withExample(ExternalId, 'payout-4711')),
    forUser: Type.Optional(UserReference),
    ...cursorQuery,
  },
  { additionalProperties: false },
)
export const WithdrawalList = cursorListOf('WithdrawalList', Withdrawal)
export type WithdrawalList = Static<typeof WithdrawalList>

export const ForUserQuery = Type.Object(
  { forUser: Type.Optional(UserReference) },
  { additionalProperties: false },
)

export const PayoutBalance = Type.Object(
  {
    chain: text,
    token: text,
    tokenAddress: text,
    amountCents: describe(Cents, 'Its value now, rounded down.'),
    amountWei: BaseUnitsText,
    pendingCents: describe(Cents, 'What has arrived and is not confirmed yet.'),
  },
  { title: 'PayoutBalance' },
)
export type PayoutBalance = Static<typeof PayoutBalance>

export const PayoutBalances = Type.Object(
  { totalCents: Cents, balances: Type.Array(PayoutBalance) },
  { title: 'PayoutBalances' },
)
export type PayoutBalances = Static<typeof PayoutBalances>

export const PayoutAddress = Type.Object(
  {
    address: describe(text, 'One address on all chains.'),
    chains: Type.Array(text),
    tokens: Type.Array(text),
  },
  { title: 'PayoutAddress' },
)
export type PayoutAddress = Static<typeof PayoutAddress>

export const CustodyDepositListQuery = Type.Object(
  { forUser: Type.Optional(UserReference), ...cursorQuery },
  { additionalProperties: false },
)
export const CustodyDepositList = cursorListOf('CustodyDepositList', Deposit)
export type CustodyDepositList = Static<typeof CustodyDepositList>
