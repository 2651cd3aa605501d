// What administrators read and switch of the service as a whole: chains, defaults, queues, books.
import { type Static, Type } from 'typebox'
import { BasisPoints, DateTime, Uuid } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { AdminReason } from './dashboard-admin-accounts.ts'
import { HIT_KINDS } from './dashboard-search.ts'

export const ChainParams = Type.Object(
  { chain: Type.String({ minLength: 1, maxLength: 64 }) },
  { title: 'ChainParams' },
)
export const ChainSwitchBody = Type.Object(
  { enabled: Type.Boolean(), reason: AdminReason },
  { title: 'ChainSwitchBody' },
)
export const ChainSwitch = Type.Object(
  { chain: Type.String(), enabled: Type.Boolean() },
  { title: 'ChainSwitch' },
)
export const AdminChain = Type.Object(
  {
    chain: Type.String(),
    enabled: Type.Boolean(),
    reason: nullable(describe(Type.String(), 'Why it is off.')),
    changedAt: nullable(describe(DateTime, 'When it was switched off.')),
    block: nullable(describe(Type.String(), 'The number of the last scanned block.')),
    scannedAt: nullable(DateTime),
    pending: describe(Type.Integer(), 'Transfers that wait for confirmations.'),
  },
  { title: 'AdminChain' },
)
export type AdminChain = Static<typeof AdminChain>

export const GlobalDefaults = Type.Object(
  {
    feeBps: describe(BasisPoints, 'The service fee where nothing else is agreed.'),
    waitingLimit: nullable(
      describe(
        Type.Integer({ minimum: 200, maximum: 1_000_000 }),
        'Items of one merchant that may wait at one market; null: any number.',
      ),
    ),
  },
  { title: 'GlobalDefaults' },
)
export type GlobalDefaults = Static<typeof GlobalDefaults>
export const SetDefaultsBody = Type.Object(
  {
    feeBps: Type.Optional(GlobalDefaults.properties.feeBps),
    waitingLimit: Type.Optional(GlobalDefaults.properties.waitingLimit),
    reason: AdminReason,
  },
  { title: 'SetDefaultsBody', minProperties: 2 },
)

const QuoteCents = Type.Integer({ minimum: 1, maximum: 100_000_000_000 })
/** What our bots buy, and how the sells of merchants share them: one policy for all merchants. */
export const SellingPolicy = Type.Object(
  {
    buying: describe(Type.Boolean(), 'False: the bots buy nothing.'),
    leastQuoteCents: describe(QuoteCents, 'US cents; what would bring less is not bought.'),
    mostQuoteCents: describe(QuoteCents, 'US cents; what would cost more is not bought.'),
    offerSharePercent: describe(
      Type.Integer({ minimum: 1, maximum: 100 }),
      'Of what a merchant has open at the bots and what is free there: so much it may have open.',
    ),
    waitingLimit: describe(
      Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      'Sells of one merchant that may wait for a bot.',
    ),
  },
  { title: 'SellingPolicy' },
)
export type SellingPolicy = Static<typeof SellingPolicy>
export const SetSellingPolicyBody = Type.Object(
  { ...Type.Partial(SellingPolicy).properties, reason: AdminReason },
  {
    title: 'SetSellingPolicyBody',
    minProperties: 2,
    examples: [{ offerSharePercent: 40, reason: 'agreed in October' }],
  },
)

const Waiting = Type.Object({
  name: Type.String(),
  count: describe(Type.Integer(), 'All that are in it.'),
  due: describe(Type.Integer(), 'Those whose time has come.'),
  oldestAgeMs: nullable(Type.Integer()),
})
export const AdminQueues = Type.Object(
  {
    at: DateTime,
    queues: Type.Array(Waiting),
    jobs: Type.Array(
      Type.Object({
        job: Type.String(),
        processId: Type.String(),
        status: stringEnum(['ok', 'running', 'standby', 'failing', 'silent']),
        startedAt: describe(DateTime, 'Since when its process runs it.'),
        beatAt: DateTime,
        succeededAt: nullable(DateTime),
        error: nullable(Type.String()),
      }),
    ),
    leases: Type.Array(
      Type.Object({ name: Type.String(), holder: Type.String(), until: DateTime }),
    ),
  },
  { title: 'AdminQueues' },
)
export type AdminQueues = Static<typeof AdminQueues>

export const QueueParams = Type.Object(
  { name: Type.String({ pattern: '^[a-z_ ]{1,64}$', examples: ['webhooks parked'] }) },
  { title: 'QueueParams' },
)
export const AdminQueueRows = Type.Object(
  {
    rows: describe(
      Type.Array(
        Type.Object({
          id: Uuid,
          kind: nullable(describe(stringEnum(HIT_KINDS), 'What it leads to.')),
          leadsTo: nullable(Uuid),
          what: Type.String(),
          since: DateTime,
          dueAt: nullable(DateTime),
        }),
      ),
      'The first hundred, the oldest or longest due first.',
    ),
  },
  { title: 'AdminQueueRows' },
)
export type AdminQueueRows = Static<typeof AdminQueueRows>

export const AdminSupplier = Type.Object(
  {
    market: Type.String(),
    enabled: Type.Boolean(),
    online: Type.Boolean(),
    detail: describe(Type.String(), 'What its last health check answered.'),
    balanceUsd: nullable(describe(Type.Number(), 'Our balance there, thousandths included.')),
    checkedAt: nullable(DateTime),
    snapshotAt: nullable(describe(DateTime, 'When its whole stock was read last.')),
    waiting: Type.Integer(),
    following: Type.Integer(),
    calls: describe(
      Type.Array(
        Type.Object({
          operation: Type.String(),
          outcome: Type.String(),
          count: Type.Integer(),
          medianMs: Type.Integer(),
        }),
      ),
      'Calls about orders, over the last ten minutes.',
    ),
  },
  { title: 'AdminSupplier' },
)
export type AdminSupplier = Static<typeof AdminSupplier>

export const BooksAudit = Type.Object(
  {
    status: describe(
      stringEnum(['balanced', 'broken', 'unknown']),
      'Unknown: no audit has finished yet.',
    ),
    runs: Type.Array(
      Type.Object({
        scope: stringEnum(['recent', 'day', 'everything']),
        finishedAt: DateTime,
        seconds: Type.Number(),
        violationCount: Type.Integer(),
        violations: describe(
          Type.Array(Type.Object({ invariant: Type.String(), detail: Type.String() })),
          'The first hundred.',
        ),
      }),
    ),
  },
  { title: 'BooksAudit' },
)
export type BooksAudit = Static<typeof BooksAudit>
