// What administrators of the service read and switch.
import { type Static, Type } from 'typebox'
import { TIERS } from '../limits.ts'
import { pageOf, pageQuery } from '../lists.ts'
import { Currency, DateTime, MoneyNumber, textLine, UserStatus, Uuid } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'

export const AdminAccount = Type.Object(
  {
    id: Uuid,
    kind: stringEnum(['merchant', 'partner', 'child']),
    email: nullable(Type.String()),
    name: nullable(Type.String()),
    status: UserStatus,
    tier: stringEnum(TIERS),
    currency: Currency,
    balance: describe(MoneyNumber, 'Of its spot wallet.'),
    createdAt: DateTime,
  },
  { title: 'AdminAccount' },
)
export type AdminAccount = Static<typeof AdminAccount>

export const AdminAccountsQuery = Type.Object(
  {
    ...pageQuery,
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'An id, or the beginning of an e-mail address or name.',
      }),
    ),
    kind: Type.Optional(stringEnum(['merchant', 'partner', 'child'])),
    status: Type.Optional(UserStatus),
  },
  { title: 'AdminAccountsQuery' },
)
export const AdminAccounts = pageOf('AdminAccounts', AdminAccount)
export const AdminAccountParams = Type.Object({ id: Uuid }, { title: 'AdminAccountParams' })
export const UpdateAccountBody = Type.Object(
  {
    tier: Type.Optional(stringEnum(TIERS)),
    status: Type.Optional(stringEnum(['active', 'suspended'])),
    recoversDebts: Type.Optional(
      Type.Boolean({
        description:
          'Of a merchant or partner: whether debts of its users that are older than a day are taken from its spot wallet.',
      }),
    ),
    reason: Type.Optional(textLine(500)),
  },
  { title: 'UpdateAccountBody', minProperties: 1 },
)

const Reason = textLine(500)
export const TradingSwitchBody = Type.Object(
  { paused: Type.Boolean(), reason: Reason },
  { title: 'TradingSwitchBody' },
)
export const TradingSwitch = Type.Object({ paused: Type.Boolean() }, { title: 'TradingSwitch' })
export const SwitchParams = Type.Object(
  { market: Type.String({ minLength: 1, maxLength: 64 }) },
  { title: 'MarketSwitchParams' },
)
export const SwitchBody = Type.Object(
  { enabled: Type.Boolean(), reason: Reason },
  { title: 'SwitchBody' },
)
export const MarketSwitch = Type.Object(
  { market: Type.String(), enabled: Type.Boolean() },
  { title: 'MarketSwitch' },
)

export const MarketAccountParams = Type.Object(
  {
    market: Type.String({ minLength: 1, maxLength: 64 }),
    account: Type.String({ pattern: '^[a-z][a-z0-9-]{0,23}$' }),
  },
  { title: 'MarketAccountParams' },
)
export const MarketAccountSwitch = Type.Object(
  { market: Type.String(), account: Type.String(), enabled: Type.Boolean() },
  { title: 'MarketAccountSwitch' },
)
export const AdminMarketAccount = Type.Object(
  {
    market: Type.String(),
    account: describe(Type.String(), 'The name of our account there.'),
    enabled: describe(Type.Boolean(), 'False: nothing more is bought with it.'),
    use: stringEnum(['buying', 'feed', 'both']),
    closedBecause: nullable(
      stringEnum(['in_question', 'no_funds', 'low', 'forbidden', 'currency']),
    ),
    balanceUsd: nullable(Type.Number()),
    reserveUsd: Type.Number(),
    spendableUsd: describe(
      nullable(Type.Number()),
      'The balance less the reserve and what left since it was read.',
    ),
    waiting: describe(Type.Integer(), 'Items that wait at the market, for whichever account.'),
    coverDays: nullable(Type.Number()),
    placedPerMinute: describe(Type.Number(), 'Orders begun with it, of the last ten minutes.'),
  },
  { title: 'AdminMarketAccount' },
)
export type AdminMarketAccount = Static<typeof AdminMarketAccount>

const HealthStatus = stringEnum(['ok', 'degraded', 'down'])
export const AdminMarketHealth = Type.Object(
  {
    id: Type.String(),
    status: HealthStatus,
    inService: describe(Type.Boolean(), 'Switched on and answering: buys are accepted.'),
    queueDepth: Type.Integer(),
    reversals: describe(Type.Integer(), 'Deliveries that were taken back in the last hour.'),
    oldestAgeMs: nullable(Type.Integer()),
    expectedWaitSeconds: describe(
      nullable(Type.Integer()),
      'For how long an item that is bought now waits until its order is placed; null until it was measured.',
    ),
    consumers: Type.Integer(),
    workers: Type.Array(
      Type.Object({
        workerId: Type.String(),
        status: stringEnum(['ok', 'no-consumer', 'no-heartbeat', 'stale-heartbeat']),
        heartbeatAgeMs: nullable(Type.Integer()),
        balanceUsd: nullable(Type.Number()),
      }),
    ),
  },
  { title: 'AdminMarketHealth' },
)
/** What the catalogue is made from. */
export const AdminCatalogueHealth = Type.Object(
  {
    lists: Type.Array(
      Type.Object({
        name: describe(Type.String(), '`items`, or `prices_` and a market.'),
        goodAt: describe(DateTime, 'When it was last taken over, or had not changed.'),
        refused: describe(nullable(Type.String()), 'Why the newest one was not believed.'),
      }),
    ),
    stubItems: describe(Type.Integer(), 'Items of which only a market’s name is known.'),
  },
  { title: 'AdminCatalogueHealth' },
)
export const AdminHealth = Type.Object(
  {
    status: HealthStatus,
    at: DateTime,
    tradingPaused: Type.Boolean(),
    pause: describe(
      nullable(Type.Object({ since: DateTime, by: Type.String(), reason: Type.String() })),
      'Who paused trading, and why; null while trading is on.',
    ),
    secondFactorMissing: describe(
      Type.Boolean(),
      'The administrator who asks has no second factor; outside the sandbox these pages are closed then.',
    ),
    frozenWallets: describe(
      Type.Array(
        Type.Object({ chain: Type.String(), token: Type.String(), payments: Type.Integer() }),
      ),
      'Tokens that refuse every payment of the hot wallet of their chain, and how many payments wait for them.',
    ),
    process: describe(
      Type.Object({
        requests: Type.Integer(),
        failed: describe(Type.Integer(), 'Of them, with a status of 500 or more.'),
        buySeconds: nullable(
          describe(
            Type.Number(),
            '99% of the buys were answered within this; null: there were none.',
          ),
        ),
        readSeconds: nullable(describe(Type.Number(), 'The same of the reads.')),
        loopLagSeconds: describe(Type.Number(), 'How late its event loop is.'),
        historyChangedAt: nullable(
          describe(DateTime, 'When it saw the database go on as another server or timeline.'),
        ),
      }),
      'The process that answers, of the last five minutes.',
    ),
    silentProcesses: describe(
      Type.Array(Type.Object({ processId: Type.String(), lastBeatAt: DateTime })),
      'Processes that have ended without a word, or do not reach the database.',
    ),
    closedGates: describe(
      Type.Array(Type.Object({ gate: Type.String(), since: DateTime })),
      'Markets, bots or payments that are held back after a restore or a failover.',
    ),
    markets: Type.Array(AdminMarketHealth),
    catalogue: AdminCatalogueHealth,
    supplierAccounts: describe(
      Type.Array(
        Type.Object({
          market: Type.String(),
          account: Type.String(),
          closedBecause: nullable(
            describe(
              stringEnum(['in_question', 'no_funds', 'low', 'forbidden', 'currency']),
              'Null: it is open for buying.',
            ),
          ),
          closedAt: nullable(DateTime),
          balanceUsd: nullable(describe(Type.Number(), 'Thousandths included, as below.')),
          waiting: describe(Type.Integer(), 'Items that wait to be ordered with it.'),
          waitingUsd: Type.Number(),
          coverDays: nullable(
            describe(Type.Number(), 'How long its money lasts at the pace of seven days.'),
          ),
        }),
      ),
      'Our accounts at the markets.',
    ),
    platformRefuses: describe(
      Type.Array(Type.Object({ kind: Type.String(), since: DateTime })),
      'Kinds of calls that the game platform refuses to our address.',
    ),
    tradeUrls: describe(
      stringEnum(['bots', 'market_b', 'none', 'unknown']),
      'Who is asked about trade URLs; unknown before the first worker has run.',
    ),
  },
  { title: 'AdminHealth' },
)
export type AdminHealth = Static<typeof AdminHealth>

const Waiting = (what: string) =>
  describe(Type.Integer({ minimum: 0, maximum: 100 }), `${what}; 100 stands for 100 or more.`)
export const AdminWaiting = Type.Object(
  {
    cases: Waiting('Open cases of reconciliation'),
    heldPayments: Waiting('Payments into deposits that are held back'),
    withdrawals: Waiting('Withdrawals that wait for a release'),
    adjustments: Waiting('Adjustments that wait for a second administrator'),
  },
  { title: 'AdminWaiting' },
)
export type AdminWaiting = Static<typeof AdminWaiting>
