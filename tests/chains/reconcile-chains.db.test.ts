// The comparison of a chain with the books, on a real node: what is seen once is no case, what is seen twice
// in a row is one, and it is cleared when the two sides agree again.
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { createEvmChain } from '../../apps/server/src/adapters/evm/index.ts'
import { createConfirmTransfers } from '../../apps/server/src/edges/jobs/confirm-transfers.ts'
import { createFindUnseen } from '../../apps/server/src/edges/jobs/find-unseen.ts'
import { createReconcileChains } from '../../apps/server/src/edges/jobs/reconcile-chains.ts'
import { createWatchWallets } from '../../apps/server/src/edges/jobs/watch-wallets.ts'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { createHttpClient } from '../../apps/server/src/infra/http/http-client.ts'
import { silentLog } from '../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { assertDefined } from '../../apps/server/src/kernel/assert.ts'
import { type Address, baseUnits } from '../../apps/server/src/kernel/chain.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { listAudit } from '../../apps/server/src/modules/accounts/audit/index.ts'
import {
  confirmTransfers,
  listHoldings,
  namePayment,
  reconcileChain,
  registerWallet,
} from '../../apps/server/src/modules/crypto/chains/index.ts'
import { post, readBalance } from '../../apps/server/src/modules/money/custody/index.ts'
import { createReporters } from '../../apps/server/src/modules/trading/reconciliation/index.ts'
import { bookCorrection, planCorrection } from '../../apps/server/src/operations/index.ts'
import { callData, startProxy } from '../support/chains/index.ts'
import { registerCorrectionCommands } from './correction-commands.ts'
import { openJournal } from './journal-handler.ts'
import { onUnclaimed, openWatch, scanToTheEnd } from './watch.ts'

const { db, url, close } = await testDatabase()
const journal = await openJournal(db)
const { handlers } = journal
const watch = await openWatch({ db, handlers, deadlineMs: 2000 })
const { chain, clock, node, rules, broadcast } = watch
const hot = assertDefined(chain.accounts[7], 'an account of the node')
await registerWallet(db, { purpose: 'hot_wallet', address: hot }, clock.now())
const treasury = assertDefined(chain.accounts[8], 'an account of the node')
watch.ownSenders.add(treasury.toLowerCase())
const payFromUs = (to: Address, value: bigint) => chain.send({ from: treasury, to, value })
await chain.setBalance(hot, 0n)
await chain.mine(3)
await watch.scan()

// A node without traces, in front of the same chain.
const proxy = await startProxy(chain.url)
proxy.refuse('debug_traceBlockByHash', 'trace_block')
const http = createHttpClient({ log: silentLog, metrics: createMetrics() })
const { node: untraced } = createEvmChain({
  ...{ chain: 'ethereum', rpcUrls: [proxy.url], secondRpcUrls: [chain.url], clock, http },
  log: silentLog,
})

after(async () => {
  await http.close()
  await proxy.close()
  await chain.stop()
  await close()
})
beforeEach(() => clock.advance(60_000))

const alarms: object[] = []
const log = {
  ...{ debug() {}, info() {}, warn() {} },
  error: (details: object) => void alarms.push(details),
}
const newJob = () => {
  const metrics = createMetrics()
  const onCase = createReporters({ db, clock, log, metrics })('balance')
  const [job] = createReconcileChains({
    ...{ db, clock, log, metrics, onCase, chains: [{ node, rules, broadcast }], treasury: null },
    everyMs: 1000,
  })
  const { work } = assertDefined(job, 'the job of the chain')
  return {
    work: (...given: Parameters<typeof work>) => {
      clock.advance(1000)
      return work(...given)
    },
  }
}
const run = { signal: new AbortController().signal, processId: 'test' }
const hold = (units: bigint) => chain.setBalance(hot, units)
async function settled(): Promise<void> {
  await chain.mine(1)
  await watch.scan()
}

const CASES = sql(
  '',
  `select kind, facts->>'difference' difference, facts->>'units' units, cleared_at is not null cleared
   from reconciliation.case_file order by first_seen_at, kind`,
)
const cases = () =>
  db.query<{ kind: string; difference: string; units: string | null; cleared: boolean }>(CASES)

test('a difference is a case when it is seen twice in a row, the same both times', async () => {
  const job = newJob()
  await job.work(run)
  await hold(5n)
  await settled()
  await job.work(run)
  assert.deepEqual(await cases(), [])
  // It has changed: a payment between two looks is no loss.
  await hold(9n)
  await settled()
  await job.work(run)
  assert.deepEqual(await cases(), [])
  await job.work(run)
  await job.work(run)
  const found = { kind: 'chain_balance_differs', difference: '9', units: null }
  assert.deepEqual(await cases(), [{ ...found, cleared: false }])
  assert.equal(alarms.length, 1)
  const held = (await listHoldings(db)).find(
    ({ role, token }) => role === 'hot_wallet' && token === 'NATIVE',
  )
  assert.equal(held?.units, 9n)
  await hold(0n)
  await settled()
  await job.work(run)
  assert.deepEqual(await cases(), [{ ...found, cleared: true }])
})

test('less on the chain than is owed in kind is a case of its own', async () => {
  const job = newJob()
  const posting = {
    ...{ reason: 'deposit', refId: null, chain: 'ethereum', token: 'USDC' },
    units: baseUnits(40n),
  } as const
  const owner = { role: 'merchant', ownerId: newId() } as const
  const owe = { ...posting, key: `test:${newId()}`, debit: 'hot_wallet', credit: owner } as const
  await db.transaction((tx) => post(tx, [owe], clock.now()))
  await job.work(run)
  await job.work(run)
  const open = (await cases()).filter(({ cleared }) => !cleared)
  assert.deepEqual(open.map(({ kind, difference }) => `${kind} ${difference}`).sort(), [
    'chain_balance_differs -40',
    'chain_shortfall -40',
  ])
  // Tokens from outside cover it: the scanner books them as capital, and the wallet still lacks what was
  // posted without a transfer.
  await chain.pay(hot, 'USDC', 40n)
  await chain.mine(3)
  await watch.scan()
  await watch.confirm()
  await job.work(run)
  assert.deepEqual((await cases()).map(({ kind, cleared }) => `${kind} ${cleared}`).sort(), [
    'chain_balance_differs false',
    'chain_balance_differs true',
    'chain_shortfall true',
  ])
})

test('custody that left the chain after it was paid out is one case, cleared when it is back or could be taken back', async () => {
  const metrics = createMetrics()
  const onCase = createReporters({ db, clock, log, metrics })('guard')
  const [job] = createConfirmTransfers({
    ...{ db, clock, log, metrics, onCase, handlers, treasury: null },
    ...{ chains: [{ node, rules }], readPrice: watch.readPrice, everyMs: 1000 },
  })
  const round = () => assertDefined(job, 'the job of the chain').work(run)
  const { ownerId, address } = await watch.newAddress('payout_custody')
  const paid = await chain.pay(address, 'USDC', 50_000_000n)
  const raw = await chain.raw(paid)
  await chain.mine(3)
  await watch.scan()
  await round()
  const move = (key: string, debit: 'merchant' | 'in_flight', credit: 'merchant' | 'in_flight') =>
    db.transaction((tx) =>
      post(
        tx,
        [
          {
            ...{ key: `test:${key}`, reason: 'withdrawal', refId: null },
            ...{ chain: 'ethereum', token: 'USDC', units: baseUnits(40_000_000n) },
            ...{ debit: { role: debit, ownerId }, credit: { role: credit, ownerId } },
          },
        ],
        clock.now(),
      ),
    )
  await move('out', 'merchant', 'in_flight')
  const leave = async () => {
    await chain.reorg(3)
    await settled()
    clock.advance(2 * 3_600_000)
    for (let i = 0; i < 3; i++) await round()
  }
  const areCleared = async () =>
    (await cases()).flatMap(({ kind, cleared }) => (kind === 'custody_overdrawn' ? [cleared] : []))
  alarms.length = 0
  await leave()
  assert.deepEqual(await areCleared(), [false])
  assert.equal(alarms.length, 1)
  await chain.rpc('eth_sendRawTransaction', [raw])
  await chain.mine(2)
  await settled()
  await round()
  assert.deepEqual(await areCleared(), [true])
  await leave()
  assert.deepEqual(await areCleared(), [false])
  await move('back', 'in_flight', 'merchant')
  await round()
  assert.deepEqual(await areCleared(), [true])
})

const actor = { kind: 'operator', id: 'operator', request: {} } as const
const comparing = { db, clock, node, broadcast, treasury: null }
const ofHot = { role: 'hot_wallet', token: 'NATIVE' } as const
const HOT_NATIVE = { chain: 'ethereum', token: 'NATIVE' }
const planOpening = (units: bigint | null) =>
  planCorrection(comparing, {
    ...{ ...ofHot, id: newId(), units },
    ...{ kind: 'opening', counterpart: 'capital' },
  })
const detailsOf = async (act: string) =>
  (await listAudit(db, { limit: 50 })).filter((one) => one.act === act).map((one) => one.details)

test('what a wallet held before is booked once, as capital, and never more than the chain shows', async () => {
  assert.deepEqual(await planOpening(null), { kind: 'too_much', unbooked: 0n })
  await hold(70n)
  await settled()
  assert.deepEqual(await planOpening(71n), { kind: 'too_much', unbooked: 70n })
  const [part, all] = [await planOpening(30n), await planOpening(null)]
  assert.ok(part.kind === 'planned' && all.kind === 'planned')
  assert.equal(all.correction.units, 70n)
  // Of two that were shown the same, one is posted.
  const booked = await Promise.all(
    [part, all].map(({ correction }) =>
      bookCorrection(comparing, actor, correction, 'held before'),
    ),
  )
  assert.deepEqual(booked.sort(), [false, true])
  const rest = await planOpening(null)
  if (rest.kind === 'planned') await bookCorrection(comparing, actor, rest.correction, 'the rest')
  assert.deepEqual(await planOpening(null), { kind: 'too_much', unbooked: 0n })
  assert.equal(await readBalance(db, 'hot_wallet', HOT_NATIVE), 70n)
  assert.equal(await readBalance(db, 'capital', HOT_NATIVE), 70n)
  assert.equal((await detailsOf('custody.opening')).length, rest.kind === 'planned' ? 2 : 1)
})

test('what left a wallet without us is booked once for its id, at most what two nodes show, and clears the case', async () => {
  const job = newJob()
  await job.work(run)
  const plan = (units: bigint | null, id = newId(), by = node) =>
    planCorrection(
      { ...comparing, node: by },
      { ...ofHot, id, kind: 'loss', units, counterpart: 'unexplained' },
    )
  assert.deepEqual(await plan(null), { kind: 'too_much', unbooked: 0n })
  await hold(40n)
  await settled()
  await job.work(run)
  await job.work(run)
  const isOpen = async () =>
    (await cases()).some(({ difference, cleared }) => difference === '-30' && !cleared)
  assert.equal(await isOpen(), true)
  assert.deepEqual(await plan(31n), { kind: 'too_much', unbooked: 30n })
  assert.deepEqual(await planOpening(null), { kind: 'too_much', unbooked: -30n })

  // A refill that is not final yet.
  await chain.pay(hot, 'NATIVE', 5n)
  await settled()
  assert.deepEqual(await plan(null), { kind: 'moving' })
  await chain.mine(3)
  await watch.scan()
  await watch.confirm()

  const { second } = node
  assert.ok(second)
  const other: typeof second = {
    ...second,
    balances: async (...query) => {
      const found = await second.balances(...query)
      return found?.map((units) => units + 1n) ?? null
    },
  }
  const silent: typeof second = { ...second, balances: async () => null }
  const kindBy = async (by: typeof node.second) =>
    (await plan(null, newId(), { ...node, second: by })).kind
  assert.deepEqual(
    [await kindBy(null), await kindBy(other), await kindBy(silent)],
    ['no_second_node', 'second_node_differs', 'unavailable'],
  )

  const id = newId()
  const [part, all] = [await plan(10n), await plan(null, id)]
  assert.ok(part.kind === 'planned' && all.kind === 'planned')
  assert.equal(all.correction.units, 30n)
  assert.equal(await bookCorrection(comparing, actor, all.correction, 'a foreign nonce'), true)
  // Planned before: the books have moved. Run again it is known by its id.
  assert.equal(await bookCorrection(comparing, actor, part.correction, 'a part of it'), false)
  assert.equal(await bookCorrection(comparing, actor, all.correction, 'a foreign nonce'), false)
  assert.deepEqual(await plan(30n, id), { kind: 'posted' })
  const gas = { ...ofHot, role: 'gas_station', id, kind: 'loss', units: null } as const
  const ofGas = await planCorrection(comparing, { ...gas, counterpart: 'unexplained' })
  assert.deepEqual(ofGas, { kind: 'id_taken' })
  assert.deepEqual(await plan(null), { kind: 'too_much', unbooked: 0n })
  assert.equal(await readBalance(db, 'hot_wallet', HOT_NATIVE), 45n)
  assert.equal(await readBalance(db, 'unexplained', HOT_NATIVE), -30n)
  assert.equal((await detailsOf('custody.loss')).length, 1)
  await job.work(run)
  assert.equal(await isOpen(), false)
})

registerCorrectionCommands({
  ...{ db, url, clock, chainUrl: chain.url },
  hold: async (units) => {
    await hold(units)
    await settled()
  },
  held: () => broadcast.balanceOf(hot, null),
  detailsOf,
})

test('while the node is away nothing is concluded', async () => {
  const job = newJob()
  const before = await cases()
  chain.pause()
  await assert.rejects(async () => job.work(run))
  chain.resume()
  assert.deepEqual(await cases(), before)
})

test('while a block that was replaced is not scanned again nothing is compared (I6)', async () => {
  await settled()
  const before = await cases()
  await chain.reorg(1)
  const deps = { db, node, broadcast, treasury: null }
  assert.deepEqual(await reconcileChain(deps), { kind: 'replaced' })
  assert.deepEqual(await planOpening(null), { kind: 'replaced' })
  await newJob().work(run)
  assert.deepEqual(await cases(), before)
  // With the next block the scanner sees that its parent is another one.
  await settled()
  assert.equal((await reconcileChain(deps)).kind, 'compared')
})

test('a chain that could not be compared is tried again in a minute, else in an hour', async () => {
  let calls = 0
  let hasState = false
  const counted: typeof node = {
    ...node,
    balances: async (...query) => {
      calls += 1
      return hasState ? node.balances(...query) : null
    },
  }
  const metrics = createMetrics()
  const [job] = createReconcileChains({
    ...{ db, clock, log, metrics, onCase: async () => {}, treasury: null, everyMs: 3_600_000 },
    chains: [{ node: counted, rules, broadcast }],
  })
  assert.ok(job)
  assert.equal(job.everyMs, 60_000)
  const grows = async (afterMs: number) => {
    const before = calls
    clock.advance(afterMs)
    await job.work(run)
    return calls > before
  }
  assert.equal(await grows(0), true)
  hasState = true
  assert.deepEqual(
    [await grows(60_000), await grows(60_000), await grows(3_540_000)],
    [true, false, true],
  )
})

const ETHER = 10n ** 18n
/** Pays two addresses, or one twice, out of one call, which no log and no top-level transaction shows. */
async function payInside(address: Address, units: bigint, other = address) {
  const payer = await chain.deploy('BatchPayer')
  const args = [address, units / 4n, other, units - units / 4n]
  const data = callData('BatchPayer', 'payTwo(address,uint256,address,uint256)', args)
  return chain.send({ to: payer, value: units, data, gas: 500_000n })
}
const entries = async (ownerId: string) =>
  (await journal.entriesOf(ownerId)).map(({ what, units }) => `${what} ${units}`)
const confirmUntraced = () => {
  const { rules, readPrice } = watch
  const deps = {
    db,
    clock,
    rules,
    handlers,
    readPrice,
    node: untraced,
    treasury: null,
    onUnclaimed,
  }
  return confirmTransfers(deps, run.signal)
}

test('an internal transfer that was scanned is credited when its block can no longer be traced', async () => {
  const { ownerId, address } = await watch.newAddress()
  await payInside(address, ETHER)
  await chain.mine(3)
  await watch.scan()
  const { blocked } = await confirmUntraced()
  assert.deepEqual(blocked, [])
  const parts = [ETHER / 4n, (ETHER * 3n) / 4n]
  assert.deepEqual((await entries(ownerId)).sort(), [
    ...parts.map((units) => `credit ${units}`),
    ...parts.map((units) => `record ${units}`),
  ])
})

test('without traces, what only a balance shows is a case, and a transfer when its transaction is named', async () => {
  const [job] = createFindUnseen({
    ...{ db, clock, log, handlers, chains: [{ node: untraced, rules }], everyMs: 1000 },
    ownSenders: watch.scanDeps.ownSenders,
    onCase: createReporters({ db, clock, log, metrics: createMetrics() })('balance'),
  })
  assert.ok(job)
  const unseen = async () =>
    (await cases())
      .filter(({ kind }) => kind === 'chain_unseen')
      .map(({ units, cleared }) => `${units} ${cleared ? 'cleared' : 'open'}`)
  const [{ ownerId, address }, plain] = [await watch.newAddress(), await watch.newAddress()]
  await chain.pay(plain.address, 'NATIVE', ETHER)
  const hash = await payInside(address, ETHER)
  // One after the other: the node gives both the same nonce when they arrive together.
  const fromUs = await payFromUs(address, 3n)
  await payFromUs(plain.address, 3n)
  const toUs = await chain.send({ to: treasury, value: 1n })
  await chain.mine(3)
  await job.work(run)
  assert.deepEqual(await unseen(), [], 'every block so far was scanned with its traces')
  await scanToTheEnd({ ...watch.scanDeps, node: untraced }, run.signal)
  await confirmUntraced()
  assert.deepEqual(await entries(ownerId), [])
  await job.work(run)
  assert.deepEqual(await unseen(), [`${ETHER} open`], 'a plain send was seen, and what we sent')

  const name = (txHash: string) =>
    db.transaction((tx) => namePayment(tx, 'ethereum', { address, txHash, at: clock.now() }))
  for (const wrong of [`0x${'11'.repeat(32)}`, await revertedCall(), fromUs, toUs]) {
    assert.equal(await name(wrong), true)
    await job.work(run)
    assert.deepEqual(await unseen(), [`${ETHER} open`])
  }
  await name(hash)
  await job.work(run)
  assert.deepEqual(await unseen(), [`${ETHER} cleared`])
  await job.work(run)
  await confirmUntraced()
  assert.deepEqual(await entries(ownerId), [`record ${ETHER}`, `credit ${ETHER}`])
  await job.work(run)
  assert.deepEqual(await unseen(), [`${ETHER} cleared`])
  const names = () => db.query(sql('', 'select from chains.named_payment'))

  // A name without a payment does not wait for the next one, and a transaction explains one amount.
  await name(hash)
  await job.work(run)
  assert.equal((await names()).length, 0)
  const other = await watch.newAddress()
  const both = await payInside(address, 4n * ETHER, other.address)
  await chain.mine(3)
  await scanToTheEnd({ ...watch.scanDeps, node: untraced }, run.signal)
  await name(hash)
  await job.work(run)
  assert.equal((await unseen()).filter((one) => one.endsWith('open')).length, 2)
  // One transaction has paid both.
  await name(both)
  const named = { address: other.address, txHash: both, at: clock.now() }
  await db.transaction((tx) => namePayment(tx, 'ethereum', named))
  await job.work(run)
  await confirmUntraced()
  assert.deepEqual(await entries(other.ownerId), [`record ${3n * ETHER}`, `credit ${3n * ETHER}`])
  assert.equal((await entries(ownerId)).length, 4)
  assert.equal((await unseen()).filter((one) => one.endsWith('open')).length, 0)
})

test('a payment of our own is forgotten with its block', async () => {
  const own = () => db.query(sql('', 'select from chains.own_payment'))
  const before = (await own()).length
  const { address } = await watch.newAddress()
  await payFromUs(address, 5n)
  await settled()
  assert.equal((await own()).length, before + 1)
  await chain.reorg(1)
  await settled()
  assert.equal((await own()).length, before)
})

test('a payment is named only for an address that was handed out', async () => {
  const at = clock.now()
  const named = { address: hot, txHash: `0x${'22'.repeat(32)}`, at }
  assert.equal(await db.transaction((tx) => namePayment(tx, 'ethereum', named)), false)
})

const SENT = sql(
  '',
  `insert into outbound.transaction (id, chain, key_ref, purpose, ref_id, token, token_address, recipient, units,
     state, nonce, fee_paid, due_at, created_at, accepted_at, finished_at, mined_hash, mined_block)
   values ($1, 'ethereum', 'hot', 'payout', uuidv7(), $2, case when $2 <> 'NATIVE' then $3 end, $3, $4, $5,
     case when $5 <> 'queued' then $6::bigint end, case when $5 = 'confirmed' then $7::numeric end,
     $8::timestamptz, $8::timestamptz, $8::timestamptz, case when $5 = 'confirmed' then $8::timestamptz end,
     case when $5 = 'confirmed' then $9 end, case when $5 = 'confirmed' then 1 end)`,
)
const SIGNED = sql(
  '',
  `insert into outbound.attempt (transaction_id, number, kind, hash, raw, max_fee_per_gas,
     max_priority_fee_per_gas, gas, signed_at) values ($1, 1, 'payment', $2, '0x00', 1, 1, 21000, $3)`,
)

test('what a wallet holds is shown beside what left it in a day, and nothing while its node is away', async () => {
  const metrics = createMetrics()
  let isAway = false
  const balanceOf: typeof broadcast.balanceOf = (...query) =>
    isAway ? Promise.reject(new Error('away')) : broadcast.balanceOf(...query)
  const job = createWatchWallets({
    ...{ db, clock, log, metrics, nodes: [{ ...broadcast, balanceOf }] },
  })
  const shown = async () => {
    await job.work(run)
    const lines = (await metrics.text()).matchAll(
      /^tradepost_outbound_wallet_(day_)?tokens\{chain="ethereum",key="hot",token="(\w+)"\} (\S+)$/gm,
    )
    return Object.fromEntries(
      [...lines].map(([, day, token, value]) => [`${day ?? ''}${token}`, Number(value)]),
    )
  }
  const holds = async (token: 'USDT' | 'USDC', units: bigint) =>
    chain.pay(hot, token, units - (await broadcast.balanceOf(hot, usdOf(token))))
  await holds('USDT', 90_000_000n)
  await holds('USDC', 1_500_000_000n)
  await chain.mine(1)
  await chain.setBalance(hot, 4n * ETHER)
  assert.deepEqual(await shown(), {})
  const now = clock.now().getTime()
  await db.query(
    sql(
      '',
      `insert into outbound.wallet (chain, key_ref, address, next_nonce, changed_at) values ('ethereum', 'hot', $1, 3, $2)`,
    ),
    [hot, clock.now()],
  )
  const to = `0x${'1'.repeat(40)}`
  let nonce = 0
  for (const [token, units, state, hoursAgo] of [
    ['USDC', 7_000_000n, 'confirmed', 25],
    ['USDC', 1_000_000_000n, 'confirmed', 23],
    ['USDC', 600_000_000n, 'queued', 1],
    ['NATIVE', ETHER, 'broadcast', 2],
  ] as const) {
    const at = now - hoursAgo * 3_600_000
    const [id, date] = [newId(at), new Date(at)]
    const hash = `0x${String(nonce).repeat(64)}`
    await db.query(SENT, [id, token, to, units, state, nonce, ETHER / 100n, date, hash])
    if (state === 'queued') continue
    await db.query(SIGNED, [id, hash, date])
    nonce += 1
  }
  assert.deepEqual(await shown(), {
    ...{ USDT: 90, day_USDT: 0, USDC: 1500, day_USDC: 1600 },
    ...{ NATIVE: 4, day_NATIVE: 1.01 },
  })
  isAway = true
  assert.deepEqual(await shown(), {})
})

const usdOf = (token: 'USDT' | 'USDC'): Address =>
  assertDefined(
    chain.network.tokens.find(({ symbol }) => symbol === token),
    token,
  ).address

async function revertedCall() {
  const receiver = await chain.deploy('RejectingReceiver')
  const hash = await chain.send({ to: receiver, value: 1n, gas: 100_000n })
  await chain.mine(1)
  await scanToTheEnd({ ...watch.scanDeps, node: untraced }, run.signal)
  return hash
}

test('chains that were never scanned are named once, by one line for all', async () => {
  const lines: string[] = []
  const metrics = createMetrics()
  const jobs = createReconcileChains({
    ...{ db, clock, metrics, onCase: async () => {}, treasury: null, everyMs: 1000 },
    log: { ...log, info: (_: object, line: string) => void lines.push(line) },
    chains: (['base', 'bsc'] as const).map((each) => ({
      ...{ node: { ...node, chain: each }, rules, broadcast },
    })),
  })
  for (const { work } of [...jobs, ...jobs]) await work(run)
  assert.deepEqual(lines, ['chains are compared with the books once they have been scanned'])
})
