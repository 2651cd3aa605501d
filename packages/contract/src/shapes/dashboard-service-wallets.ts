// The wallets that the service signs from, as administrators see and switch them.
import { Type } from 'typebox'
import { DateTime } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { AdminReason } from './dashboard-admin-accounts.ts'

const text = Type.String()
const TokenText = describe(text, 'Tokens, as a decimal string.')

const WALLET_STATES = ['open', 'halted', 'reopening'] as const
export const ServiceWallet = Type.Object(
  {
    chain: text,
    key: describe(text, '`hot` pays withdrawals, `gas` pays for sweeps.'),
    address: text,
    nextNonce: Type.Integer(),
    state: stringEnum(WALLET_STATES),
    haltedReason: nullable(text),
    balances: Type.Array(
      Type.Object({
        token: text,
        booked: describe(TokenText, 'By the books.'),
        onNode: nullable(describe(TokenText, 'By its node, when it was compared last.')),
        comparedAt: nullable(DateTime),
        queued: describe(TokenText, 'With less than this, and gas for it, its payments wait.'),
        isLow: describe(Type.Boolean(), 'Payments wait now, because it cannot cover them.'),
      }),
    ),
  },
  { title: 'ServiceWallet' },
)
export const ServiceWallets = Type.Array(ServiceWallet)
export const ServiceWalletParams = Type.Object(
  { chain: Type.String({ minLength: 1, maxLength: 64 }), key: stringEnum(['hot', 'gas']) },
  { title: 'ServiceWalletParams' },
)
const TransactionHash = Type.String({
  pattern: '^0x[0-9a-fA-F]{64}$',
  examples: [`0x${'5c'.repeat(32)}`],
})
export const SwitchWalletBody = Type.Object(
  {
    halted: Type.Boolean(),
    reason: AdminReason,
    foreignHashes: Type.Optional(
      Type.Array(TransactionHash, {
        maxItems: 100,
        description:
          'To reopen: the transactions that are not ours and took nonces of the wallet. Each has to be confirmed at two nodes. Refused with a halt.',
      }),
    ),
  },
  {
    title: 'SwitchWalletBody',
    examples: [
      {
        ...{ halted: false, reason: 'A refill by hand used nonce 17' },
        foreignHashes: [`0x${'5c'.repeat(32)}`],
      },
    ],
  },
)
export const SwitchedWallet = Type.Object(
  { chain: text, key: text, halted: Type.Boolean() },
  { title: 'SwitchedWallet' },
)
