// Payouts on a real node, a real database, a real endpoint of a merchant and the real sender of webhooks.
// Time and blocks move by hand.

import { createHash } from 'node:crypto'
import { createApprovalCallback } from '../../../apps/server/src/adapters/bridges/approval-callback.ts'
import { createPayoutNetworks } from '../../../apps/server/src/adapters/bridges/payout-networks.ts'
import { createEvmChain } from '../../../apps/server/src/adapters/evm/index.ts'
import { createInProcessSigner } from '../../../apps/server/src/adapters/signer/index.ts'
import { createWebhookSender } from '../../../apps/server/src/adapters/webhook-sender/index.ts'
import { type Db, sql } from '../../../apps/server/src/infra/database/db.ts'
import { createHttpClient } from '../../../apps/server/src/infra/http/http-client.ts'
import { silentLog } from '../../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../../apps/server/src/infra/process/metrics.ts'
import { createSecretBox } from '../../../apps/server/src/infra/process/secrets.ts'
import { type ManualClock, manualClock } from '../../../apps/server/src/infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../apps/server/src/infra/testing/database.ts'
import { type Address, baseUnits } from '../../../apps/server/src/kernel/chain.ts'
import { newId } from '../../../apps/server/src/kernel/id.ts'
import { type Cents, cents } from '../../../apps/server/src/kernel/money.ts'
import { Refusal } from '../../../apps/server/src/kernel/refusal.ts'
import { aMerchant } from '../../../apps/server/src/modules/accounts/identity/testing/accounts.ts'
import {
  createSending,
  createTracking,
  type OutboundAlarm,
  type SendingDeps,
} from '../../../apps/server/src/modules/crypto/outbound/index.ts'
import type {
  BroadcastNode,
  Signer,
} from '../../../apps/server/src/modules/crypto/outbound/ports.ts'
import {
  createApproving,
  createSubmittingFromWallet,
  type PayoutLimits,
  type PayoutNetworks,
  payoutListener,
  readWithdrawals,
  type WalletWithdrawal,
} from '../../../apps/server/src/modules/crypto/payouts/index.ts'
import { writeCallback } from '../../../apps/server/src/modules/crypto/payouts/store/merchants.ts'
import {
  type CustodyRequest,
  createSubmitting,
} from '../../../apps/server/src/modules/crypto/payouts/submit.ts'
import type { Withdrawal } from '../../../apps/server/src/modules/crypto/payouts/withdrawal.ts'
import {
  isAllowedAddress,
  sealContext,
  type WebhookSender,
} from '../../../apps/server/src/modules/events/webhooks/index.ts'
import { post } from '../../../apps/server/src/modules/money/custody/index.ts'
import { dialects } from '../../../apps/server/src/wire/webhook.ts'
import {
  type NetworkId,
  startChain,
  startProxy,
  type TestChain,
  type TestProxy,
} from '../../support/chains/index.ts'
import { type Receiver, startReceiver } from '../../webhooks/receiver.ts'

export const MNEMONIC = 'test test test test test test test test test test test junk'
export const TREASURY: Address = '0x1111111111111111111111111111111111111111'
const CONFIRMATIONS = 3
const MOST_FEE_PER_GAS = 10n ** 12n
/** As the workers of the quicker chains. */
const TIMES = { stuckAfterMs: 30_000, resendAfterMs: 15_000 }
const TRACK_EVERY_SECONDS = 5
const BLOCK_EVERY_SECONDS = 2
/** 1 ETH is 2,000.00 dollars, a stable coin is 1.00. */
const ETHER_E8 = 200_000_000_000n
const DOLLAR_E8 = 100_000_000n
export const SECRET = `whsec_${'a'.repeat(43)}`

export const NO_LIMITS: PayoutLimits = {
  perTransaction: cents(10n ** 12n),
  perMerchantDay: cents(10n ** 12n),
  perDay: cents(10n ** 12n),
}

/** The key that the work was refused with. */
export const refusal = async (work: Promise<unknown>): Promise<string | undefined> =>
  (await refusalOf(work))?.key

/** The reason among the details of a refusal. */
export const reasonOf = async (work: Promise<unknown>): Promise<unknown> =>
  (await refusalOf(work))?.details?.reason

async function refusalOf(work: Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

export interface Parts {
  readonly db: Db
  readonly node: BroadcastNode
  readonly signer: Signer
}

type Change = Partial<Parts> & Partial<Pick<SendingDeps, 'mostFeePerGas' | 'noteSend'>>

export interface PayoutEnvironment extends Parts {
  readonly clock: ManualClock
  readonly chain: TestChain
  readonly proxy: TestProxy
  readonly receiver: Receiver
  readonly networks: PayoutNetworks
  /** The same node as another chain: it has to be given that chain's id. */
  networksOf(chain: NetworkId): PayoutNetworks
  readonly merchantId: string
  readonly hot: Address
  readonly alarms: { alarm: OutboundAlarm; details: Readonly<Record<string, unknown>> }[]
  limits: PayoutLimits
  /** As the gate in front of payments says. */
  mayPay: boolean
  /** What the merchant has in custody, base units. */
  fund(token: string, units: bigint): Promise<void>
  /** Brings capital to the hot wallet by the books alone, or takes it out: base units below zero. */
  fundCapital(token: string, units: bigint): Promise<void>
  /** With the same callback and a million USDC in custody; its id. */
  addMerchant(): Promise<string>
  submit(change?: Partial<CustodyRequest>): Promise<Withdrawal>
  submitFromWallet(request: {
    accountId: string
    tenantId?: string
    amountCents: Cents
    destination?: string
    token?: string
    idempotencyKey?: string | null
  }): Promise<WalletWithdrawal>
  /** With another sender in place of the one that posts anywhere. */
  approve(sender?: WebhookSender): Promise<boolean>
  send(parts?: Change, signal?: AbortSignal): Promise<boolean>
  track(parts?: Partial<Parts>): Promise<boolean>
  /**
   * Time passes as for the workers: sent is every second, tracked every five, and a block is made every two,
   * unless the chain stands still.
   */
  pass(seconds: number, given?: { parts?: Change; isHalted?: boolean }): Promise<void>
  /** Approves, sends, mines and tracks until the withdrawal is at its end. */
  finish(id: string): Promise<Withdrawal>
  read(id: string): Promise<Withdrawal>
  events(id: string): Promise<string[]>
  setCallback(url: string | null): Promise<void>
  close(): Promise<void>
}

/** Nothing of the service has ever seen it. */
export const newDestination = (): Address =>
  `0x${createHash('sha256').update(newId()).digest('hex').slice(0, 40)}`

const EVENTS = sql('test_events', 'select type from outbox.event where subject_id = $1 order by id')

/**
 * On a database of its own unless one is given; it is closed with the environment. `callbackUrl` is the
 * merchant's in place of the receiver. A direct one has no fault proxy before its node, for measuring.
 */
export async function payoutEnvironment({
  database: given,
  callbackUrl,
  isDirect = false,
}: {
  readonly database?: Pick<TestDatabase, 'db' | 'close'>
  readonly callbackUrl?: string
  readonly isDirect?: boolean
} = {}): Promise<PayoutEnvironment> {
  const database = given ?? (await testDatabase())
  const { db } = database
  const clock = manualClock(new Date('2026-11-20T12:00:00.000Z'))
  const chain = await startChain('ethereum')
  const proxy = await startProxy(chain.url)
  const receiver = await startReceiver()
  const metrics = createMetrics()
  const http = createHttpClient({ log: silentLog, metrics })
  const connect = (id: NetworkId, url: string): BroadcastNode =>
    createEvmChain({
      ...{ chain: id, rpcUrls: [url], secondRpcUrls: [] },
      finality: { kind: 'depth', blocks: BigInt(CONFIRMATIONS) },
      ...{ http, clock, log: silentLog, deadlineMs: 3_000 },
    }).broadcast
  // Nothing is sent at the second node, or it would undo what the proxy does to a transaction.
  const nodeOf = (id: NetworkId): BroadcastNode => ({
    ...connect(id, isDirect ? chain.url : proxy.url),
    second: connect(id, chain.url),
  })
  const signer = createInProcessSigner(MNEMONIC)
  const networksBy = (by: BroadcastNode): PayoutNetworks =>
    createPayoutNetworks({
      ...{ db, clock, signer, treasury: TREASURY, nodes: new Map([[by.chain, by]]) },
      readPrice: async (asset) => ({
        kind: 'price',
        usdE8: asset === 'ETH' ? ETHER_E8 : DOLLAR_E8,
        sources: ['test'],
      }),
    })
  const node = nodeOf('ethereum')
  const networks = networksBy(node)
  const secrets = createSecretBox([Buffer.alloc(32, 7)])
  const sender = createWebhookSender({
    isAllowedAddress: (address) => isAllowedAddress(address, { allowPrivate: true }),
  })
  const callbackBy = (by: WebhookSender) =>
    createApprovalCallback({
      ...{ db, clock, sender: by, secrets, allowPrivate: true },
      dialects,
    })
  const submit = createSubmitting({
    ...{ db, clock, networks, callback: callbackBy(sender) },
    areWorkersSilent: async () => false,
  })
  const merchant = await aMerchant(db)
  const setCallback = (url: string | null, tenantId: string = merchant.id): Promise<void> => {
    const secretSealed = secrets.seal(SECRET, sealContext({ tenantId }))
    return writeCallback(db, tenantId, url === null ? null : { url, secretSealed }, clock.now())
  }
  await setCallback(callbackUrl ?? receiver.url)
  const fund = async (
    token: string,
    units: bigint,
    ownerId: string = merchant.id,
  ): Promise<void> => {
    const posting = {
      ...{ key: `transfer:${newId()}`, reason: 'deposit', refId: null, chain: 'ethereum', token },
      debit: 'deposit_address',
      credit: { role: 'merchant', ownerId },
      units: baseUnits(units),
    } as const
    await db.transaction((tx) => post(tx, [posting], clock.now()))
  }
  const fundCapital = async (token: string, units: bigint): Promise<void> => {
    const about = { reason: 'deposit', refId: null, chain: 'ethereum', token } as const
    const sides =
      units > 0n
        ? ({ debit: 'hot_wallet', credit: 'capital' } as const)
        : ({ debit: 'capital', credit: 'hot_wallet' } as const)
    const amount = baseUnits(units > 0n ? units : -units)
    const posting = { ...about, ...sides, key: `transfer:${newId()}`, units: amount }
    await db.transaction((tx) => post(tx, [posting], clock.now()))
  }
  const hot = await signer.address('hot')
  await chain.setBalance(hot, 10n ** 20n)
  await chain.pay(hot, 'USDT', 1_000_000_000n)
  await chain.pay(hot, 'USDC', 10n ** 15n)
  await chain.mine(1)
  const alarms: PayoutEnvironment['alarms'] = []
  const outbound = (parts: Change) => ({
    ...{
      db,
      node,
      signer,
      clock,
      chain: 'ethereum',
      holdMs: 1_000,
      mostFeePerGas: MOST_FEE_PER_GAS,
    },
    ...parts,
    listeners: { payout: payoutListener },
    mayPay: async () => environment.mayPay,
    onAlarm: (alarm: OutboundAlarm, details: Readonly<Record<string, unknown>>) =>
      void alarms.push({ alarm, details }),
  })
  const never = new AbortController().signal
  const submitFromWallet = createSubmittingFromWallet({
    ...{ db, clock, networks },
    areWorkersSilent: async () => false,
    get limits() {
      return environment.limits
    },
  })
  const environment: PayoutEnvironment = {
    ...{ db, clock, node, signer, chain, proxy, receiver, networks, hot, alarms },
    networksOf: (id) => networksBy(nodeOf(id)),
    merchantId: merchant.id,
    limits: NO_LIMITS,
    mayPay: true,
    setCallback: (url) => setCallback(url),
    fund: (token, units) => fund(token, units),
    fundCapital,
    addMerchant: async () => {
      const { id } = await aMerchant(db)
      await setCallback(receiver.url, id)
      await fund('USDC', 10n ** 12n, id)
      return id
    },
    submit: (change = {}) =>
      submit({
        ...{ merchantId: merchant.id, externalId: newId(), forUser: null, keyId: null },
        ...{ chain: 'ethereum', token: 'USDC', destination: newDestination() },
        amountCents: cents(2_500n),
        ...change,
      }),
    submitFromWallet: ({ accountId, tenantId, amountCents, destination, token, idempotencyKey }) =>
      submitFromWallet({
        ...{ accountId, tenantId: tenantId ?? accountId, amountCents, siteFeeBps: 50, keyId: null },
        ...{ chain: 'ethereum', token: token ?? 'USDC' },
        destination: destination ?? newDestination(),
        idempotencyKey: idempotencyKey ?? null,
      }),
    approve: (by = sender) =>
      createApproving({
        ...{ db, clock, callback: callbackBy(by), limits: environment.limits },
        mayPay: async () => environment.mayPay,
      })(never),
    send: (parts = {}, signal = never) => createSending(outbound(parts))(signal),
    track: (parts = {}) => createTracking({ ...outbound(parts), ...TIMES })(never),
    pass: async (seconds, { parts = {}, isHalted = false } = {}) => {
      for (let second = 1; second <= seconds; second++) {
        clock.advance(1_000)
        if (!isHalted && second % BLOCK_EVERY_SECONDS === 0) await chain.mine(1)
        if (second % TRACK_EVERY_SECONDS === 0) await environment.track(parts)
        await environment.send(parts)
      }
    },
    finish: async (id) => {
      for (let round = 0; round < 12; round++) {
        const now = await environment.read(id)
        if (now.status === 'confirmed' || now.status === 'refunded') return now
        await environment.approve()
        while (await environment.send());
        await chain.mine(1)
        await environment.track()
      }
      return environment.read(id)
    },
    read: async (id) => {
      const [found] = await readWithdrawals(db, [id])
      if (!found) throw new Error(`no withdrawal ${id}`)
      return found
    },
    events: async (id) =>
      (await db.query<{ type: string }>(EVENTS, [id])).map(({ type }) =>
        type.replace('payout.crypto.withdraw.', ''),
      ),
    close: async () => {
      await Promise.all([http.close(), sender.close(), receiver.close(), proxy.close()])
      await chain.stop()
      await database.close()
    },
  }
  return environment
}
