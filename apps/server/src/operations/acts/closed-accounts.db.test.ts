// What is created below an account while that is closed: it comes first and is closed too, or it waits for
// the close and is refused.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Actor } from '#audit'
import { createAddressFor, type Purpose } from '#chains'
import { addTradeUrl, createSubUser } from '#identity'
import { sql } from '#infra/database/db'
import { createSecretBox } from '#infra/process/secrets'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import {
  acceptIntoAccount,
  approveAdjustment,
  changeDestinations,
  inviteToAccount,
  issueAccountKey,
  proposeAdjustment,
  rotateAccountKey,
  setBalanceThreshold,
  setPayoutCallback,
  setWebhookEndpoint,
} from '#operations'
import { until } from '../../infra/testing/until.ts'
import { WAITING } from '../../infra/testing/waiting.ts'
import { context } from '../../modules/crypto/deposits/testing/depositors.ts'
import { givenWalletWithdrawal } from '../../modules/crypto/payouts/testing/withdrawals.ts'
import {
  accountOf,
  ada,
  aTrade,
  type Closed,
  clock,
  close,
  db,
  deposits,
  eve,
  type Given,
  given,
  LEFT,
  refused,
} from '../testing/closing.ts'

const at = clock.now()
const secrets = createSecretBox([Buffer.alloc(32, 7)])
const deriver = { address: (index: number) => `0x1${String(index).padStart(39, '0')}` as const }
const addressFor = createAddressFor({ deriver, clock })
const publicUrl = () => 'https://tradepost.example'
const acting = { db, clock, secrets, allowPrivate: false, names: { resolve: async () => [] } }

type Create = () => Promise<unknown>
interface Case {
  readonly what: string
  readonly below: Closed
  readonly create: (given: Given, accountId: string) => Create | Promise<Create>
  readonly refusal?: string
}

const aKey = (actor: Actor, accountId: string, kind: 'merchant' | 'child' = 'merchant') =>
  issueAccountKey({ db, clock }, actor, {
    ...{ accountId, kind, name: 'a key', allowlist: [], environment: 'test' },
  })
const anAdjustment = (accountId: string) =>
  proposeAdjustment({ db, clock }, ada, {
    ...{ id: newId(), accountId, wallet: 'spot', side: 'credit', amount: cents(1n) },
    ...{ reason: 'a test', reference: newId() },
  })
const aTradeUrl = (accountId: string) => {
  const partner = randomInt(1, 2 ** 31)
  const platformId = String(76561197960265728n + BigInt(partner))
  const persona = { platformId, personaName: 'P', avatarUrl: 'a', profileUrl: 'p' }
  const url = `https://steamcommunity.com/tradeoffer/new/?partner=${partner}&token=accept00`
  const resolved = {
    url,
    partner,
    token: 'accept00',
    platformId,
    persona,
    holdDays: 0,
    probation: false,
  }
  return db.transaction((tx) => addTradeUrl(tx, { accountId, resolved, at }))
}
const anAddress = (ownerId: string, purpose: Purpose) =>
  db.transaction((tx) => addressFor(tx, { ownerId, purpose }))
const invite = (actor: Actor, accountId: string) =>
  inviteToAccount({ ...acting, publicUrl }, actor, {
    ...{ accountId, accountKind: 'merchant', email: `${newId()}@example.com`, role: 'finance' },
    ...{ invitedBy: 'ada', inviterId: null },
  })
const accept = async (accountId: string): Promise<Create> => {
  const { link } = await invite(ada, accountId)
  const order = { token: link.split('#token=')[1] ?? '', password: 'plenty of quiet rivers' }
  const passwords = { hash: async () => 'x', matches: async () => [true] }
  const people = { ...acting, publicUrl, passwords, sendsMail: false }
  return () => acceptIntoAccount(people, { ...order, network: 'n' }, {})
}
const aDeposit = async (tenantId: string, accountId: string): Promise<Create> => {
  const who = { tenantId, accountId, currency: 'USD' } as const
  const asked = { usd: cents(100_00n), currency: 'USDT' } as const
  const { quoteToken } = await deposits.gatewayDeposits.quote(who, asked, context)
  return () => deposits.gatewayDeposits.create(who, { quoteToken, chain: 'TRX' }, context)
}
const url = 'https://merchant.example/hook'
const address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

const CASES: readonly Case[] = [
  {
    ...{ what: 'a sub-user', below: 'merchant' },
    create: (_, merchantId) => () =>
      db.transaction((tx) =>
        createSubUser(tx, {
          ...{ merchantId, currency: 'EUR', email: null, platformId: null, externalId: null, at },
        }),
      ),
  },
  ...(['merchant', 'child'] as const).flatMap((below): Case[] => [
    {
      ...{ what: 'a key', below },
      create: (_, id) => () => aKey(ada, id, below),
    },
    {
      ...{ what: 'a rotated key', below },
      create: async (_, id) => {
        const { id: keyId } = await aKey(ada, id, below)
        return () =>
          rotateAccountKey({ db, clock }, ada, { keyId, overlapHours: 24, environment: 'test' })
      },
    },
    {
      ...{ what: 'an endpoint', below },
      create: (_, tenantId) => () => setWebhookEndpoint(acting, ada, { tenantId, url }),
    },
    {
      ...{ what: 'a balance threshold', below },
      create: (_, id) => () => setBalanceThreshold({ db, clock }, ada, id, cents(100n)),
    },
  ]),
  ...(['merchant', 'sub_user', 'child'] as const).flatMap((below): Case[] => [
    {
      ...{ what: 'a deposit', below },
      create: ({ merchantId, partnerId }, id) =>
        aDeposit(below === 'child' ? partnerId : merchantId, id),
    },
    { ...{ what: 'an adjustment', below }, create: (_, id) => () => anAdjustment(id) },
    {
      ...{ what: 'an approved adjustment', below },
      create: async (_, id) => {
        const proposed = await anAdjustment(id)
        return () => approveAdjustment({ db, clock }, eve, proposed.id)
      },
    },
  ]),
  ...(['merchant', 'sub_user'] as const).flatMap((below): Case[] => [
    { ...{ what: 'a trade URL', below }, create: (_, id) => () => aTradeUrl(id) },
    { ...{ what: 'an address', below }, create: (_, id) => () => anAddress(id, 'deposit') },
    {
      ...{ what: 'an address of custody', below },
      create: (_, id) => () => anAddress(id, 'payout_custody'),
    },
    {
      ...{ what: 'a sell', below },
      create:
        ({ merchantId }, id) =>
        () =>
          aTrade('sell', merchantId, id),
    },
  ]),
  {
    ...{ what: 'a buy', below: 'sub_user' },
    create:
      ({ merchantId }, id) =>
      () =>
        aTrade('buy', merchantId, id),
  },
  {
    ...{ what: 'a withdrawal', below: 'child', refusal: 'INSUFFICIENT_BALANCE' },
    create:
      ({ partnerId }, accountId) =>
      () =>
        givenWalletWithdrawal(db, { accountId, tenantId: partnerId, at }),
  },
  {
    ...{ what: 'an endpoint of a member', below: 'merchant', refusal: 'FORBIDDEN' },
    create:
      ({ owner }, tenantId) =>
      () =>
        setWebhookEndpoint(acting, owner, { tenantId, url }),
  },
  {
    ...{ what: 'a key of a member', below: 'merchant', refusal: 'FORBIDDEN' },
    create:
      ({ owner }, id) =>
      () =>
        aKey(owner, id),
  },
  {
    ...{ what: 'a callback URL', below: 'merchant' },
    create: (_, merchantId) => () => setPayoutCallback(acting, ada, { merchantId, url }),
  },
  {
    ...{ what: 'a destination', below: 'merchant' },
    create: (_, id) => () => changeDestinations({ db, clock }, ada, id, { kind: 'add', address }),
  },
  {
    ...{ what: 'a list of destinations', below: 'merchant' },
    create: (_, id) => () =>
      changeDestinations({ db, clock }, ada, id, { kind: 'only_known', on: true }),
  },
  {
    ...{ what: 'an invitation', below: 'merchant' },
    create: (_, id) => () => invite(ada, id),
  },
  {
    ...{ what: 'a member', below: 'merchant', refusal: 'TOKEN_INVALID' },
    create: (_, id) => accept(id),
  },
]

describe('below an account that is being closed', () => {
  for (const { what, below, create, refusal = 'USER_NOT_FOUND' } of CASES) {
    it(`${what} of a ${below} waits for the close and is refused`, async () => {
      const all = await given()
      const begin = await create(all, accountOf(all, below))
      let creation: Promise<unknown> = Promise.resolve()
      await close(all, below, async () => {
        let isSettled = false
        creation = begin().finally(() => {
          isSettled = true
        })
        creation.catch(() => {})
        await until('it waits', async () => isSettled || (await db.query(WAITING)).length > 0)
      })
      await assert.rejects(creation, refused(refusal))
      assert.deepEqual(await db.query(LEFT, [accountOf(all, below)]), [])
      await assert.rejects(begin(), Refusal)
    })
  }

  it('a deposit is not listed when the close comes before its provider answers', async () => {
    const all = await given()
    const begin = await aDeposit(all.merchantId, all.userId)
    deposits.gateway.beforeTurn = () => close(all, 'sub_user')
    await assert.rejects(
      begin().finally(() => {
        delete deposits.gateway.beforeTurn
      }),
      refused('USER_NOT_FOUND'),
    )
    assert.deepEqual(await db.query(LEFT, [all.userId]), [])
  })

  it('nothing open is left, whichever of the two is first', async () => {
    for (const { what, below, create } of CASES) {
      const all = await given()
      const begin = await create(all, accountOf(all, below))
      const results = await Promise.allSettled([begin(), close(all, below)])
      for (const result of results) {
        if (result.status === 'fulfilled') continue
        assert.ok(result.reason instanceof Refusal, `${what}: ${result.reason}`)
      }
      assert.deepEqual(await db.query(LEFT, [accountOf(all, below)]), [], what)
    }
  })
})

/** Tables that name an account and take rows of a closed one, and why that is right. */
const WITHOUT_GUARD: Readonly<Record<string, string>> = {
  'audit.entry': 'the log of what was done, of the close itself too',
  'outbox.event': 'what happened to something that is there',
  'webhooks.delivery': 'an event, sent',
  'operations.partner_figure': 'sums of orders of children',
  'trades.trade': 'begun under identity.lock_active_account, or with money of the account',
  'trades.account_figures': 'sums of trades',
  'trades.day_figures': 'sums of trades',
  'trades.tenant_day_figures': 'sums of trades',
  'trades.figure_change': 'sums of trades',
  'trades.figures_mark': 'sums of trades',
  'bidding.market_order': 'under identity.lock_active_account',
  'bidding.fill': 'in the commit of its trade',
  'buying.item': 'in the commit of its trade',
  'buying.lost_order': 'what a restore has lost, of accounts that may be lost too',
  'selling.sell': 'in the commit of its trade',
  'selling.item': 'in the commit of its trade',
  'deposits.deposit':
    'by identity.lock_active_account; a transfer is recorded for a closed account too',
  'deposits.provider_order': 'in the commit of its deposit',
  'chains.transfer': 'what arrived on a chain is recorded for a closed account too',
  'payouts.deposit': 'what arrived on a chain is recorded for a closed account too',
  'payouts.withdrawal': 'under identity.lock_active_account',
  'payouts.approved_sum': 'sums of withdrawals',
  'payouts.batch': 'under identity.lock_active_account',
  'payouts.quote': 'sets nothing aside, and ends within a minute',
  'ledger.account': 'in the commit that creates its owner; a debt under identity.lock_owners',
  'ledger.hold': 'moves money of the account',
  'ledger.statement': 'what the books say of a month, of a closed account too',
  'custody.account': 'what arrives for a closed account is put aside there',
  'fx.position': 'in the commit of a fund, which keeps the account',
  'people.session': 'good only with a membership that has not ended',
  'people.saved_view': 'under the lock of a membership that has not ended',
  'people.impersonation': 'an administrator reads the account, closed or not',
  'identity.key_request': 'what was asked with a key, of a closed account too: for some days',
  'identity.key_request_owner': 'counts the rows of identity.key_request',
  'identity.trade_url_look_up': 'a question to the game platform, kept for some minutes',
  'sockets.slot': 'a socket that is open, for as long as its process holds it',
}

const TABLES_OF_ACCOUNTS = sql(
  'test.tables_of_accounts',
  `select c.table_schema || '.' || c.table_name name, exists (
       select from pg_trigger t where t.tgrelid = (c.table_schema || '.' || c.table_name)::regclass
         and t.tgfoid = 'identity.refuse_below_deleted'::regproc) "isGuarded"
   from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
   where t.table_type = 'BASE TABLE' and c.data_type = 'uuid'
     and not (select relispartition from pg_class where oid = (c.table_schema || '.' || c.table_name)::regclass)
     and (c.column_name in ('account_id', 'tenant_id', 'owner_id', 'merchant_id', 'parent_id')
       or c.table_schema || '.' || c.table_name = 'payouts.merchant')
   group by 1, 2 order by 1`,
)

it('every table that names an account refuses rows below a closed one, or says why not', async () => {
  const tables = await db.query<{ name: string; isGuarded: boolean }>(TABLES_OF_ACCOUNTS)
  const unguarded = tables.filter(({ isGuarded }) => !isGuarded).map(({ name }) => name)
  assert.deepEqual(unguarded, Object.keys(WITHOUT_GUARD).sort())
})
