// Batches of withdrawals in the dashboard.
import { type Static, Type } from 'typebox'
import { cursorListOf, cursorQuery } from '../lists.ts'
import { Cents } from '../primitives.ts'
import { describe, nullable } from '../schema.ts'
import { TokenText } from './dashboard-money.ts'
import { CreatePayoutBatchBody, PayoutBatch, Withdrawal } from './payout.ts'

const text = Type.String()

export const OwnBatchesQuery = Type.Object(
  { externalId: Type.Optional(Type.String({ maxLength: 128 })), ...cursorQuery },
  { title: 'OwnBatchesQuery' },
)
export const OwnBatches = cursorListOf('OwnBatches', PayoutBatch)
export type OwnBatches = Static<typeof OwnBatches>

export const OwnBatch = Type.Object(
  {
    batch: PayoutBatch,
    withdrawals: describe(Type.Array(Withdrawal), 'In the order of the request.'),
  },
  { title: 'OwnBatch' },
)
export type OwnBatch = Static<typeof OwnBatch>

export const PreviewBatchBody = Type.Object(
  { withdrawals: CreatePayoutBatchBody.properties.withdrawals },
  { title: 'PreviewBatchBody', additionalProperties: false },
)

export const BatchPreview = Type.Object(
  {
    lines: Type.Array(
      Type.Object({
        refusal: nullable(
          describe(
            Type.Object({ key: text, reason: nullable(text) }),
            'Why the batch would be refused: the key of the error, and its `meta.reason`.',
          ),
        ),
        feeCents: nullable(describe(Cents, 'The network fee of this moment; null when refused.')),
        amountToken: nullable(describe(TokenText, 'What the destination gets.')),
      }),
      { description: 'One for each withdrawal, in their order.' },
    ),
    amountCents: describe(Cents, 'Of the withdrawals that are not refused.'),
    feeCents: Cents,
    aboveLimit: describe(
      Type.Integer(),
      'How many are above the limit of one withdrawal: they wait for an operator of the service.',
    ),
  },
  { title: 'BatchPreview' },
)
export type BatchPreview = Static<typeof BatchPreview>
