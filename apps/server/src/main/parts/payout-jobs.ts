// The jobs of payouts.
import type { Job } from '#infra/jobs/jobs'
import { findUnknownPayments, type Listeners, type SendingDeps, type Signer } from '#outbound'
import { payoutListener, readWithdrawals } from '#payouts'
import { openPaymentsGate, PAYMENTS, paymentIntent } from '#reconciliation'
import { createApproveWithdrawals } from '../../edges/jobs/approve-withdrawals.ts'
import { createOpenPlacing } from '../../edges/jobs/open-placing.ts'
import { createRefillDemoWallets } from '../../edges/jobs/refill-demo-wallets.ts'
import { createSendOutbound } from '../../edges/jobs/send-outbound.ts'
import { createTrackOutbound } from '../../edges/jobs/track-outbound.ts'
import { createWatchPayouts } from '../../edges/jobs/watch-payouts.ts'
import { createWatchWallets } from '../../edges/jobs/watch-wallets.ts'
import type { Resources } from '../resources.ts'
import type { Noting } from './gates.ts'
import { createCallback, limitsOf, type PayoutParts } from './payouts.ts'

/** Of ethereum, and of the chains that batch onto it or are quicker. */
const STUCK_AFTER_MS: Readonly<Record<string, number>> = { ethereum: 180_000 }
const STUCK_AFTER_ELSEWHERE_MS = 30_000
const RESEND_AFTER_MS = 15_000
const HOLD_MS = 15_000
const DEMO_HOLD_MS = 2_000

/** Approval, and for each chain that is on: signing, sending, tracking. `others` are those that sweep. */
export function createPayoutJobs(
  resources: PayoutParts & Noting,
  {
    signer,
    others,
    mayPay,
  }: {
    readonly signer: Signer | null
    readonly others: Listeners
    readonly mayPay: () => Promise<boolean>
  },
): Job[] {
  const { db, clock, log, metrics, adapters, config } = resources
  const posts = metrics.histogram('payout_approval_seconds', 'Time of one approval callback', {
    labels: ['outcome'],
  })
  const alarms = metrics.counter('outbound_alarms_total', 'What an operator has to look at', [
    'alarm',
  ])
  const outbound = {
    ...{ db, clock },
    listeners: { payout: payoutListener, ...others },
    onAlarm: (alarm: string, details: object) => {
      alarms.labels(alarm).inc()
      log.error(
        { event: 'outbound_alarm', alarm, ...details },
        'a transaction of ours needs an operator',
      )
    },
  }
  const { isDemo } = config
  const holdMs = isDemo ? DEMO_HOLD_MS : HOLD_MS
  const { faucet } = adapters
  const chains = adapters.chains.map(({ node }) => node.chain)
  const sending = { ...outbound, holdMs, mayPay, noteSend: createNoteSend(resources) }
  return [
    createOpenPlacing({
      ...{ gate: PAYMENTS, log, metrics },
      everyMs: config.timing.buying.openGateEveryMs,
      open: () =>
        openPaymentsGate({
          ...{ db, clock, settleMs: config.timing.chains.settleMs },
          findUnknownPayments: () => findUnknown(resources),
        }),
    }),
    ...createApproveWithdrawals({
      ...{ db, clock, callback: createCallback(resources), limits: limitsOf(config), mayPay },
      onAnswer: (answer, durationMs) => {
        const status = answer.kind === 'answered' ? Math.floor(answer.status / 100) : null
        posts.labels(status === null ? answer.kind : `${status}xx`).observe(durationMs / 1000)
      },
    }),
    createWatchPayouts({ db, clock, metrics }),
    createWatchWallets({
      ...{ db, clock, log, metrics },
      nodes: adapters.chains.map(({ broadcast }) => broadcast),
    }),
    ...(faucet === null ? [] : [createRefillDemoWallets({ db, chains, faucet })]),
    ...adapters.chains.flatMap(({ node: { chain }, broadcast: node }) => {
      const mostFeePerGas = BigInt(config.mostFeesPerGas[chain])
      const stuckAfterMs = STUCK_AFTER_MS[chain] ?? STUCK_AFTER_ELSEWHERE_MS
      return [
        ...(signer === null
          ? []
          : [createSendOutbound({ ...sending, chain, node, signer, mostFeePerGas })]),
        createTrackOutbound({
          ...{ ...outbound, chain, node, stuckAfterMs },
          resendAfterMs: RESEND_AFTER_MS,
          everyMs: isDemo ? 1_000 : 5_000,
        }),
      ]
    }),
  ]
}

const createNoteSend =
  ({ db, intents }: Noting): NonNullable<SendingDeps['noteSend']> =>
  async ({ chain, keyRef, nonce, purpose, refId }, hash) => {
    const [withdrawal] = purpose === 'payout' ? await readWithdrawals(db, [refId]) : []
    return intents.note(
      paymentIntent({
        ...{ chain, wallet: keyRef, nonce: nonce ?? 0, hash, purpose, refId },
        tenantId: withdrawal?.tenantId ?? null,
        accountId: withdrawal?.ownerId ?? null,
        externalId: withdrawal?.externalId ?? null,
      }),
    )
  }

async function findUnknown({ db, adapters }: Resources): Promise<string | null> {
  for (const { broadcast: node } of adapters.chains) {
    const unknown = await findUnknownPayments({ db, node })
    if (unknown !== null) return unknown
  }
  return null
}
