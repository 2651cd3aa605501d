// Data that tries to break out of the pages that show it: markup, script, formulas, text of both directions,
// characters without width, control characters, emoji, and words without end. Each is put where its owner, a
// customer of theirs or a system outside may write it.
import assert from 'node:assert/strict'
import { type Db, sql } from '../../apps/server/src/infra/database/db.ts'
import type { Clock } from '../../apps/server/src/infra/process/clock.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { cents, mills } from '../../apps/server/src/kernel/money.ts'
import { recordAct } from '../../apps/server/src/modules/accounts/audit/index.ts'
import {
  createChild,
  createKeyRequestNotes,
  issueKey,
} from '../../apps/server/src/modules/accounts/identity/index.ts'
import { aSubUser } from '../../apps/server/src/modules/accounts/identity/testing/accounts.ts'
import { submitBatch } from '../../apps/server/src/modules/crypto/payouts/batch.ts'
import { writeCallback } from '../../apps/server/src/modules/crypto/payouts/store/merchants.ts'
import {
  givenWithdrawal,
  PAYMENT,
  submittingDeps,
} from '../../apps/server/src/modules/crypto/payouts/testing/withdrawals.ts'
import { credit } from '../../apps/server/src/modules/money/ledger/testing/wallets.ts'
import { createCatalog } from '../../apps/server/src/modules/trading/catalog/index.ts'
import {
  chunksOf,
  idOf,
  sourceItem,
  sourceListing,
  sourceOf,
} from '../../apps/server/src/modules/trading/catalog/testing/fixtures.ts'
import { createReporter } from '../../apps/server/src/modules/trading/reconciliation/report.ts'
import { givenManyTrades } from '../../apps/server/src/modules/trading/trades/testing/many-trades.ts'
import type { Dashboard } from './dashboard.ts'
import { MARKUP } from './pages.ts'

const RIGHT_TO_LEFT = '\u202Eevil\u202C \u0627\u0644\u0639\u0631\u0628\u064A\u0629'
const WITHOUT_WIDTH = 'a\u200B\u200D\u2060\uFEFFb\u00AD'
const EMOJI = '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}\u{1F3F4}\u200D\u2620\uFE0F'
const CONTROL = '\u0001\u0007\u001B[31m\u007F\u0085\u2028\u2029\r\t'
const WORD = 'x'.repeat(10_000)

/** Without control characters, which every field of a form refuses; at most 128 characters. */
const LINE = `${MARKUP}"><script>throw 1</script> ${RIGHT_TO_LEFT} ${WITHOUT_WIDTH} ${EMOJI}`
/** What a system outside may answer: everything, and 10 kB without a space. */
const TEXT = `${LINE}\n${CONTROL}\n=cmd|"/c calc"!A0\njavascript:alert(1)\n\${7*7}{{7*7}}\n${WORD}`

/** As long as a catalogue or a market may name a thing. */
const LONG_NAME = `${MARKUP}${WORD}`.slice(0, 300)

/** Names of items: each tries one thing. */
const ITEM_NAMES = [
  MARKUP,
  '=cmd|"/c calc"!A0',
  `${RIGHT_TO_LEFT} ${WITHOUT_WIDTH} ${EMOJI}`,
  `${MARKUP}${WORD}`,
  '"><script>throw 1</script>',
] as const

const SPOIL_TRADES = sql(
  'test_spoil_trades',
  `with spoiled as (
     select id, ($2::text[])[1 + (row_number() over (order by id desc) - 1) % 5] name from trades.trade where tenant_id = $1
     order by id desc limit 25),
   items as (
     update trades.item i set description = description || jsonb_build_object('marketHashName', s.name, 'name', s.name)
     from spoiled s where i.trade_id = s.id)
   update trades.trade t set external_id = left(s.name, 100) || t.id from spoiled s where t.id = s.id
   returning t.id, s.name`,
)

const HOSTILE_ORDER = sql(
  'test_hostile_market_order',
  `insert into bidding.market_order (tenant_id, account_id, external_id, request_hash, item_id, market_hash_name, filters,
     instant_only, currency, max_price, quantity, status, paused_reason, expires_at, created_at, updated_at)
   values ($1, $1, $2, '\\x00', '00000000000000aa', $3, '{}', false, 'USD', 1000, 2, 'paused', 'INSUFFICIENT_BALANCE',
     now() + interval '1 day', now(), now())
   returning id`,
)
/** A market order whose item and reference carry markup. */
export async function givenHostileOrder(db: Db, accountId: string): Promise<string> {
  const [row] = await db.query<{ id: string }>(HOSTILE_ORDER, [accountId, LONG_NAME, MARKUP])
  assert.ok(row)
  return row.id
}

/** Renames the newest 25 trades of a tenant and their items; the id of one that carries markup. */
export async function spoilTrades(db: Db, tenantId: string): Promise<string> {
  const rows = await db.query<{ id: string; name: string }>(SPOIL_TRADES, [tenantId, ITEM_NAMES])
  const trade = rows.find(({ name }) => name === MARKUP)
  assert.ok(trade)
  return trade.id
}

const DELIVERY = sql(
  'test_hostile_delivery',
  `with endpoint as (
     insert into webhooks.endpoint (tenant_id, url, secret_sealed, created_at, updated_at)
     values ($1, 'https://example.com/' || left($2, 200), 'x', now(), now()) returning id),
   delivery as (
     insert into webhooks.delivery (endpoint_id, event_id, event_type, tenant_id, account_id, subject_id, payload,
       status, attempts, due_at, created_at, finished_at)
     select id, 1, 'trade.initiated', $1, $1, $1, '{}', 'delivered', 2, now(), now(), now() from endpoint returning id)
   insert into webhooks.attempt (delivery_id, number, manual, started_at, duration_ms, request_headers, request_body,
     response_status, response_body, error)
   select id, number, false, now() + number * interval '1 second', 12, jsonb_build_object('x-name', $2::text), $2,
     case number when 1 then 500 end, case number when 1 then $2 end, case number when 2 then $2 end
   from delivery, generate_series(1, 2) number
   returning delivery_id "deliveryId"`,
)

/** An endpoint with a delivery whose bodies, headers and error are hostile. */
export async function givenHostileDelivery(db: Db, tenantId: string): Promise<string> {
  const [attempt] = await db.query<{ deliveryId: string }>(DELIVERY, [tenantId, TEXT])
  assert.ok(attempt)
  return attempt.deliveryId
}

const NAME_ACCOUNT = sql(
  'test_hostile_account',
  'update identity.account set name = $2, description = $3 where id = $1',
)

/** Its name, and an act of an operator on it: who, why, and what changed. */
export async function spoilAccount(db: Db, id: string, at: Date): Promise<void> {
  await db.query(NAME_ACCOUNT, [id, `${LINE}${WORD}`, TEXT])
  await db.transaction((tx) =>
    recordAct(tx, {
      actor: { kind: 'operator', id: LINE, request: { host: TEXT, userAgent: TEXT } },
      act: 'account.set_fees',
      subject: { type: 'account', id },
      details: { reason: TEXT, [MARKUP]: TEXT },
      changes: { [MARKUP]: { from: LINE, to: TEXT } },
      at,
    }),
  )
}

const PERSON = sql(
  'test_hostile_person',
  `insert into people.chat_link (person_id, chat_user_id, username, discriminator, avatar, linked_at)
   select id, left($2, 20) || id, $2, left($2, 16), 'javascript:alert(1)', $3 from people.person where email = $1`,
)

/** What the chat platform calls a person. */
const spoilPerson = (db: Db, email: string, at: Date): Promise<unknown> =>
  db.query(PERSON, [email, LINE.slice(0, 128), at])

const SPOIL_DEPOSIT = sql(
  'test_hostile_deposit',
  `with provider as (update deposits.provider_order set details = $3 where deposit_id = $1)
   update deposits.deposit set reason = $2, address = $2 where id = $1`,
)

/** A deposit that waits, as a provider gone bad answers it, and one whose payment is held back. */
async function givenHostileDeposits(
  { database: { db }, server }: Dashboard,
  accountId: string,
): Promise<{ readonly waiting: string; readonly held: string }> {
  const { deposits } = server
  const who = { accountId, tenantId: accountId, currency: 'USD' } as const
  const { id: waiting } = await deposits.given(who)
  const { id: held } = await deposits.given(who)
  deposits.gateway.pay(held, '200000', { state: 'paid', settlementRef: `${MARKUP}${newId()}` })
  await deposits.follow()
  const details = { address: TEXT, qrContent: TEXT, whitelabelUrl: 'javascript:alert(1)' }
  for (const id of [waiting, held]) await db.query(SPOIL_DEPOSIT, [id, TEXT, details])
  return { waiting, held }
}

const APPROVAL = sql(
  'test_hostile_approval',
  `insert into payouts.approval_attempt (withdrawal_id, number, started_at, ended_at, result, sent, answer)
   values ($1, 1, $3, $3, $2, $2, convert_to($2, 'UTF8'))`,
)

/** A withdrawal whose endpoint answers with anything. */
async function givenHostileWithdrawal(
  db: Db,
  { merchantId, at }: { readonly merchantId: string; readonly at: Date },
): Promise<string> {
  const url = `https://example.com/${LINE}`
  await writeCallback(db, merchantId, { url, secretSealed: 'x' }, at)
  const { id } = await givenWithdrawal(db, { merchantId, externalId: LINE.slice(0, 128), at })
  await db.query(APPROVAL, [id, TEXT, at])
  return id
}

async function givenHostileBatch(
  db: Db,
  { merchantId, at }: { readonly merchantId: string; readonly at: Date },
): Promise<string> {
  const externalId = LINE.slice(0, 128)
  const line = { ...PAYMENT, externalId: `${externalId.slice(0, 120)} 2`, forUser: null }
  const request = { merchantId, externalId, lines: [line], keyId: null }
  return (await submitBatch(submittingDeps(db, at), request)).id
}

const EVENT = sql(
  'test_hostile_event',
  `update outbox.event set position = 1, dispatched_at = created_at
   where id = (select min(id) from outbox.event where tenant_id = $1) returning public_id id`,
)

/**
 * No dispatcher runs here: the first event of a tenant gets its position by hand, so that its feed
 * shows it.
 */
export async function givenListedEvent(db: Db, tenantId: string): Promise<string> {
  const [event] = await db.query<{ id: string }>(EVENT, [tenantId])
  assert.ok(event)
  return event.id
}

const SERVICE = sql(
  'test_hostile_service',
  `with market as (update catalog.market set detail = $1)
   insert into outbound.wallet (chain, key_ref, address, next_nonce, state, halted_reason, changed_at)
   values ('base', 'hot', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', 0, 'halted', $1, $2)`,
)

/** An item for sale at two prices, of which every name that its market gives is hostile; its id. */
export async function givenHostileItem(db: Db, clock: Clock): Promise<string> {
  const catalog = createCatalog({ db, clock })
  const item = sourceItem({ marketHashName: MARKUP, collection: LONG_NAME })
  await catalog.refreshItems(sourceOf([item]), null)
  await catalog.markMarket('market_a', { online: true, detail: '', balanceMills: null })
  const charm = { name: LONG_NAME, pattern: 77, iconUrl: 'javascript:alert(1)' }
  const listings = [
    sourceListing(item, { priceMills: mills(20_000n) }),
    sourceListing(item, { priceMills: mills(10_000n), charm, delivery: 'instant' }),
  ]
  await catalog.openIngest('market_a').applySnapshot(chunksOf(listings))
  return idOf(item)
}

/**
 * What administrators alone see: cases, adjustments, wallets, what markets answered, why trading is
 * paused.
 */
async function spoilService(
  { database: { db }, server }: Dashboard,
  { adminEmail, accountId, depositId }: Record<'adminEmail' | 'accountId' | 'depositId', string>,
): Promise<{ readonly case: string; readonly adjustment: string }> {
  const { clock } = server
  const opened: string[] = []
  const report = createReporter({
    ...{ db, clock, source: 'guard' },
    onOpened: (_kind, { caseId }) => opened.push(caseId),
  })
  await report('deposit_held_back', { depositId, answer: TEXT, [MARKUP]: LINE }, { last: TEXT })
  await db.query(SERVICE, [TEXT, clock.now()])
  const admin = server.browser()
  server.nextMinute()
  await admin.logIn(adminEmail)
  const adjustment = newId()
  const proposed = await admin.call('POST', 'admin/adjustments', {
    ...{ id: adjustment, accountId, wallet: 'spot', side: 'credit', amount: '1.00' },
    ...{ reason: LINE, reference: LINE.slice(0, 128) },
  })
  assert.equal(proposed.status, 201, proposed.key)
  const paused = await admin.call('PUT', 'admin/trading', { paused: true, reason: LINE })
  assert.equal(paused.status, 200, paused.key)
  return { case: opened[0] ?? '', adjustment }
}

/** A user of a merchant, under hostile references. */
export const givenHostileUser = async (db: Db, merchantId: string): Promise<string> => {
  const wanted = { externalId: LINE.slice(0, 128), email: '<i>@shop.example' }
  return (await aSubUser(db, merchantId, wanted)).id
}

/** What a merchant writes by its own pages. */
async function writeAsMerchant({ server }: Dashboard, email: string): Promise<void> {
  const owner = server.browser()
  server.nextMinute()
  await owner.logIn(email)
  const answers = [
    await owner.call('POST', 'keys', { name: LINE.slice(0, 128) }),
    await owner.call('POST', 'members/invitations', {
      email: "=cmd|'/c'@shop.example",
      role: 'finance',
    }),
  ]
  for (const { status, meta } of answers) assert.equal(status, 201, JSON.stringify(meta))
}

export interface HostileService {
  readonly owner: { readonly email: string; readonly accountId: string }
  readonly partner: { readonly email: string; readonly accountId: string }
  readonly admin: { readonly email: string }
  /** For the paths of `PAGES`. */
  readonly ids: Readonly<Record<string, string>>
}

/** A key with a hostile name, and a request of it. */
async function givenHostileKey(
  db: Db,
  { accountId, kind, clock }: { accountId: string; kind: 'merchant' | 'child'; clock: Clock },
): Promise<string> {
  const at = clock.now()
  const key = await db.transaction((tx) =>
    issueKey(tx, { ...{ accountId, kind, name: LINE.slice(0, 128) }, environment: 'test', at }),
  )
  const fail = (error: unknown): never => assert.fail(String(error))
  const notes = createKeyRequestNotes({ db, clock, onDropped: fail, onError: fail })
  notes.note(accountId, {
    ...{ id: newId(at.getTime()), keyId: key.id, startedAt: at, durationMs: 12, method: 'POST' },
    ...{ route: '/market/buy', status: 409, errorKey: 'INSUFFICIENT_BALANCE', tradeId: newId() },
  })
  await notes.stop()
  return key.id
}

/** A merchant, a partner with a child, and an administrator, who are shown nothing else. */
export async function givenHostileService(dashboard: Dashboard): Promise<HostileService> {
  const { server, database } = dashboard
  const { db } = database
  const owner = await server.person()
  const partner = await server.partner()
  const admin = await server.person('administrator')
  const at = server.clock.now()
  const { child } = await db.transaction((tx) =>
    createChild(tx, {
      ...{ partnerId: partner.accountId, email: '<img/src=x>@shop.example', name: LINE },
      ...{ description: TEXT, environment: 'test', at },
    }),
  )
  await writeAsMerchant(dashboard, owner.email)
  const user = await givenHostileUser(db, owner.accountId)
  for (const id of [owner.accountId, partner.accountId, child.id]) await spoilAccount(db, id, at)
  for (const { email } of [owner, partner, admin]) await spoilPerson(db, email, at)
  await credit(db, { id: partner.accountId, currency: 'USD' }, cents(10_000n))
  const from = new Date(at.getTime() - 3_600_000)
  await givenManyTrades(db, { tenantId: owner.accountId, count: 6, from })
  await givenManyTrades(db, {
    ...{ tenantId: partner.accountId, accountId: child.id, count: 6, from },
  })
  const trade = await spoilTrades(db, owner.accountId)
  const order = await spoilTrades(db, partner.accountId)
  const { waiting, held } = await givenHostileDeposits(dashboard, owner.accountId)
  const ids = {
    externalId: encodeURIComponent(LINE.slice(0, 128)),
    ...{ user, trade, order, waiting, held, child: child.id, account: owner.accountId },
    marketOrder: await givenHostileOrder(db, owner.accountId),
    event: await givenListedEvent(db, owner.accountId),
    delivery: await givenHostileDelivery(db, owner.accountId),
    childDelivery: await givenHostileDelivery(db, child.id),
    key: await givenHostileKey(db, {
      ...{ accountId: owner.accountId, kind: 'merchant', clock: server.clock },
    }),
    childKey: await givenHostileKey(db, {
      ...{ accountId: child.id, kind: 'child', clock: server.clock },
    }),
    withdrawal: await givenHostileWithdrawal(db, { merchantId: owner.accountId, at }),
    batch: await givenHostileBatch(db, { merchantId: owner.accountId, at }),
    ...(await spoilService(dashboard, {
      ...{ adminEmail: admin.email, accountId: owner.accountId, depositId: held },
    })),
  }
  return { owner, partner, admin, ids }
}
