// What the histories of money in and out run on: a real node, the real modules and workers, time by hand.
// What can happen in it is in `money-actions.ts`.
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { keccak256 } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { HANDLERS } from '../../../apps/server/src/edges/jobs/chain-handlers.ts'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import type { TestDatabase } from '../../../apps/server/src/infra/testing/database.ts'
import { baseUnits, type Hex } from '../../../apps/server/src/kernel/chain.ts'
import { newId } from '../../../apps/server/src/kernel/id.ts'
import { aSubUser } from '../../../apps/server/src/modules/accounts/identity/testing/accounts.ts'
import { createAddressFor } from '../../../apps/server/src/modules/crypto/chains/address.ts'
import {
  confirmTransfers,
  gasListener,
  registerWallet,
  sweepDeposits,
  sweepListener,
} from '../../../apps/server/src/modules/crypto/chains/index.ts'
import { reconcileChain } from '../../../apps/server/src/modules/crypto/chains/reconcile.ts'
import { scanChain } from '../../../apps/server/src/modules/crypto/chains/scan.ts'
import {
  createSending,
  createTracking,
  type KeyRef,
  listWallets,
  reopenWallet,
  type Signer,
} from '../../../apps/server/src/modules/crypto/outbound/index.ts'
import { payoutListener } from '../../../apps/server/src/modules/crypto/payouts/index.ts'
import { post } from '../../../apps/server/src/modules/money/custody/index.ts'
import { bookCorrection, planCorrection } from '../../../apps/server/src/operations/index.ts'
import { Crash, createSteps as scanSteps } from '../../chains/crash.ts'
import { Crash as SendCrash, createSteps as sendSteps } from '../../chains/payouts/crash.ts'
import { payoutEnvironment } from '../../chains/payouts/environment.ts'
import { ACCOUNT_PATH, deriver, onUnclaimed, openWatch, WORDS } from '../../chains/watch.ts'
import { readCanonical } from '../../support/chains/canonical.ts'
import {
  type AskedFor,
  creditedOnce,
  cursorsCanonical,
  eventsOnce,
  noncesContiguous,
  withdrawalsEnded,
} from '../../support/chains/invariants.ts'

export const CONFIRMATIONS = 3
export const TOKENS = ['USDT', 'USDC', 'NATIVE'] as const
const HOT = { chain: 'ethereum', keyRef: 'hot' } as const

// The wallets of the environment, and deposit addresses of an account that the node does not use itself.
const keyOf = (key: KeyRef) => {
  const path = key.startsWith('deposit/')
    ? (`${ACCOUNT_PATH}/0/${key.slice('deposit/'.length)}` as const)
    : key === 'hot'
      ? "m/44'/60'/1'/0/0"
      : "m/44'/60'/2'/0/0"
  return mnemonicToAccount(WORDS, { path: path as `m/44'/60'/${string}` })
}
const signer: Signer = {
  address: async (key) => keyOf(key).address,
  sign: async ({ key, transaction }) => {
    const raw = await keyOf(key).signTransaction({ type: 'eip1559', ...transaction })
    return { kind: 'signed', from: keyOf(key).address, raw, hash: keccak256(raw) }
  },
}

/** Work that may end between any two of its steps; what was committed and sent stays. */
export async function mayCrash(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Crash || error instanceof SendCrash)) throw error
  }
}

const STILL_OPEN = sql(
  'test_money_open',
  `select 'transfer' what, purpose || ' ' || token || ', block ' || block_number state, tx_hash id
   from chains.transfer where state = 'pending' and orphaned_at is null
   union all select 'withdrawal', status, id::text
   from payouts.withdrawal where status not in ('confirmed', 'refunded')
   union all select 'transaction', concat_ws(' ', purpose, token, state, hold_reason, wanted, key_ref, 'nonce ' || nonce,
     (select string_agg(kind || ' ' || gas || ' gas at ' || max_fee_per_gas || ': ' || answer, ', ' order by number)
       from outbound.attempt where transaction_id = t.id)), id::text
   from outbound.transaction t where finished_at is null
   union all select 'sweep', state, id::text from chains.sweep where ended_at is null
   union all select 'wallet', state || ': ' || halted_reason, key_ref from outbound.wallet where state <> 'open'`,
)
const AUDITS = sql(
  'test_money_audits',
  `select invariant, detail from ledger.audit() union all select invariant, detail from deposits.audit()
   union all select invariant, detail from custody.audit() union all select invariant, detail from chains.audit()
   union all select invariant, detail from outbound.audit() union all select invariant, detail from payouts.audit()
   union all select invariant, detail from chains.audit_transfers()
   union all select invariant, detail from chains.audit_sweeps()
   union all select invariant, detail from chains.audit_batches()
   union all select invariant, detail from chains.audit_dust()
   union all select invariant, detail from payouts.audit_withdrawals()
   union all select invariant, detail from payouts.audit_deposits()`,
)

/** A transaction of our hot wallet that we did not make. */
interface Foreign {
  readonly hash: Hex
  readonly nonce: number
  /** Wei. */
  readonly feePaid: bigint
}

export type Money = Awaited<ReturnType<typeof openMoney>>

export async function openMoney(database: TestDatabase) {
  const { db } = database
  const environment = await payoutEnvironment({ database, isDirect: true })
  const { chain, clock, node } = environment
  const watch = await openWatch({ db, handlers: HANDLERS, node: chain, clock })
  const never = new AbortController().signal
  const asked: AskedFor[] = []
  const foreign: Foreign[] = []

  /** What the wallets have before anything is scanned is in the books as capital. */
  const openBooks = async (): Promise<void> => {
    await chain.setBalance(keyOf('gas').address, 10n ** 20n)
    for (const [purpose, key] of [
      ['hot_wallet', 'hot'],
      ['gas_station', 'gas'],
    ] as const) {
      const { address } = keyOf(key)
      await registerWallet(db, { purpose, address }, clock.now())
      for (const token of TOKENS) {
        const contract = chain.network.tokens.find(({ symbol }) => symbol === token)?.address
        const held = await node.balanceOf(address, contract ?? null)
        if (held === 0n) continue
        const posting = {
          ...{ key: `opening:${key}:${token}`, reason: 'opening', refId: null },
          ...{ chain: 'ethereum', token, debit: purpose, units: baseUnits(held) },
          credit: 'capital',
        } as const
        await db.transaction((tx) => post(tx, [posting], clock.now()))
      }
    }
  }
  await openBooks()
  await chain.mine(1)
  await watch.scan()
  const firstBlock = Number(await chain.head()) + 1
  const addressFor = createAddressFor({ deriver, clock })
  const addressOf = (ownerId: string, purpose: 'deposit' | 'payout_custody') =>
    db.transaction((tx) => addressFor(tx, { ownerId, purpose }))
  const users = await Promise.all([1, 2, 3].map(() => aSubUser(db, environment.merchantId)))
  const addresses = await Promise.all(users.map(({ id }) => addressOf(id, 'deposit')))
  const custody = await addressOf(environment.merchantId, 'payout_custody')

  const outbound = (crashAt: number, by = node) => ({
    ...sendSteps({ db, node: by, signer }, crashAt),
    ...{ clock, chain: 'ethereum', holdMs: 1_000, mostFeePerGas: 10n ** 12n },
    mayPay: async () => true,
    listeners: { payout: payoutListener, sweep: sweepListener, gas: gasListener },
    onAlarm: (alarm: string, details: object) => {
      // Only what this history did to the wallet may halt it.
      if (alarm === 'outbound_wallet_halted' && foreign.length > 0) return
      const text = JSON.stringify(details, (_, v) => (typeof v === 'bigint' ? `${v}` : v))
      assert.fail(`${alarm} ${text}`)
    },
  })
  const send = (crashAt = 0) => createSending(outbound(crashAt))(never)
  /** To a node that takes everything, and lets none of it into a block. */
  const sendInVain = () =>
    createSending(outbound(0, { ...node, send: async () => ({ kind: 'accepted' }) }))(never)
  const track = (crashAt = 0) =>
    createTracking({ ...outbound(crashAt), stuckAfterMs: 30_000, resendAfterMs: 15_000 })(never)
  const sweep = () =>
    sweepDeposits(
      {
        ...{ db, clock, chain: 'ethereum', node, readPrice: watch.readPrice },
        target: { address: environment.hot, role: 'hot_wallet' },
      },
      never,
    )
  const scan = async (crashAt: number): Promise<void> => {
    const { clock: time, rules, scanDeps } = watch
    const steps = scanSteps({ db, node: watch.node }, crashAt)
    await scanChain({ ...scanDeps, ...steps, clock: time, rules }, never)
  }
  const confirm = async (crashAt: number): Promise<void> => {
    const { rules, readPrice } = watch
    const steps = scanSteps({ db, node: watch.node }, crashAt)
    const deps = {
      ...steps,
      clock,
      rules,
      handlers: HANDLERS,
      treasury: null,
      readPrice,
      onUnclaimed,
    }
    await confirmTransfers(deps, never)
  }
  const hotWallet = async () => (await listWallets(db)).find(({ keyRef }) => keyRef === 'hot')
  /** As an operator, who names what took nonces of ours. */
  const reopen = async (): Promise<void> => {
    if ((await hotWallet())?.state !== 'halted') return
    const foreignHashes = foreign.map(({ hash }) => hash)
    await reopenWallet(db, HOT, { reason: 'looked at', foreignHashes, at: clock.now() })
  }

  /** Until nothing is under way, and no nonce of the hot wallet was used unnoticed. */
  const settle = async (pay: () => Promise<unknown>): Promise<void> => {
    let left: unknown[] = []
    for (let round = 0; round < 90; round++) {
      clock.advance(20_000)
      await environment.approve()
      await reopen()
      await send()
      await chain.mine(CONFIRMATIONS)
      await watch.scan()
      await track()
      await confirm(0)
      left = await db.query(STILL_OPEN)
      if (left.length > 0) continue
      const wallet = await hotWallet()
      const used = await node.nonceOf(environment.hot)
      if (wallet?.state === 'open' && wallet.nextNonce === used) return
      left = [{ what: 'hot wallet', ...wallet, used }]
      // A foreign nonce is noticed with the next payment.
      await pay()
    }
    assert.fail(`still under way: ${inspect(left, { breakLength: Infinity })}`)
  }

  let lost = 0n
  /** What foreign transactions have cost since the last time, no more and no less, as an operator does. */
  const bookLosses = async (): Promise<void> => {
    const units = foreign.reduce((sum, { feePaid }) => sum + feePaid, 0n) - lost
    if (units === 0n) return
    const { broadcast } = watch
    const plan = await planCorrection(
      { db, node: watch.node, broadcast, treasury: null },
      {
        ...{ id: newId(), kind: 'loss', counterpart: 'unexplained', units: null },
        ...{ role: 'hot_wallet', token: 'NATIVE' },
      },
    )
    assert.ok(plan.kind === 'planned', plan.kind)
    assert.equal(plan.correction.units, units)
    const actor = { kind: 'operator', id: 'operator', request: {} } as const
    const reason = 'the key was used elsewhere'
    assert.ok(await bookCorrection({ db, clock }, actor, plan.correction, reason))
    lost += units
  }

  const checkAll = async (): Promise<void> => {
    await bookLosses()
    const views = new Map([
      ['ethereum', await readCanonical(chain.url, 'ethereum', firstBlock)] as const,
    ])
    await creditedOnce(db, views)
    await withdrawalsEnded(db, asked, views)
    const used = foreign.map(({ nonce }) => nonce)
    await noncesContiguous(db, views, new Map([[`${HOT.chain} ${HOT.keyRef}`, used]]))
    const { broadcast } = watch
    const compared = await reconcileChain({ db, node: watch.node, broadcast, treasury: null })
    assert.ok(compared.kind === 'compared', compared.kind)
    assert.deepEqual([compared.differences, compared.shortfalls], [[], []], 'I5')
    await cursorsCanonical(db, views)
    await eventsOnce(db)
    assert.deepEqual(await audits(), [])
  }
  const audits = (): Promise<unknown[]> => db.query(AUDITS)

  return {
    ...{ db, environment, chain, clock, node, watch, asked, foreign },
    ...{ addressOf, addresses, custody, settle, checkAll, audits },
    ...{ send, sendInVain, track, sweep, scan, confirm },
  }
}
