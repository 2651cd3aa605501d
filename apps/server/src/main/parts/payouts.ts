// The parts of payouts that requests and jobs share: chains, signer, callback.
import { createPriceReader } from '#chains'
import type { WorkerBeats } from '#infra/jobs/worker-beats'
import type { SecretBox } from '#infra/process/secrets'
import { cents } from '#kernel/money'
import type { Signer } from '#outbound'
import {
  type ApprovalCallback,
  createSubmittingFromWallet,
  type PayoutLimits,
  type PayoutNetworks,
  quoteWithdrawalFees,
  type WalletWithdrawals,
} from '#payouts'
import { dialects } from '#wire/webhook'
import { createApprovalCallback } from '../../adapters/bridges/approval-callback.ts'
import { createPayoutNetworks } from '../../adapters/bridges/payout-networks.ts'
import { createInProcessSigner, createSocketSigner } from '../../adapters/signer/index.ts'
import type { Config } from '../config.ts'
import type { Resources } from '../resources.ts'
import { readWalletSeed } from '../wallet-seed.ts'

export type PayoutParts = Resources & { readonly secrets: SecretBox }

/**
 * The signer program at SIGNER_SOCKET; with the sandbox, without one, the demo's words in this process.
 * Null in production without a socket: withdrawals are switched off, and their chains say so.
 */
export function openSigner({ signerSocket, isDemo, dataDir }: Config): Signer | null {
  if (signerSocket !== null) return createSocketSigner({ socketPath: signerSocket })
  return isDemo ? createInProcessSigner(readWalletSeed(dataDir)) : null
}

export function createNetworks(resources: Resources, signer: Signer | null): PayoutNetworks {
  const { db, clock, adapters, config } = resources
  return createPayoutNetworks({
    ...{ db, clock, signer, treasury: config.treasuryAddress },
    nodes: new Map(adapters.chains.map(({ broadcast }) => [broadcast.chain, broadcast])),
    readPrice: createPriceReader({ sources: adapters.priceSources, clock }),
  })
}

export const createCallback = ({
  db,
  clock,
  adapters,
  secrets,
  config,
}: PayoutParts): ApprovalCallback =>
  createApprovalCallback({
    ...{ db, clock, secrets },
    sender: adapters.webhookSender,
    dialects,
    allowPrivate: config.webhooks.allowPrivate,
  })

export const limitsOf = ({ payoutLimits }: Config): PayoutLimits => ({
  perTransaction: cents(BigInt(payoutLimits.transactionDollars) * 100n),
  perMerchantDay: cents(BigInt(payoutLimits.merchantDayDollars) * 100n),
  perDay: cents(BigInt(payoutLimits.dayDollars) * 100n),
})

/** Withdrawals from an account's own wallet, and what they cost on each chain. */
export function createWalletWithdrawals(
  resources: Resources,
  workers: Pick<WorkerBeats, 'areSilent'>,
): WalletWithdrawals {
  const { db, clock, config } = resources
  const networks = createNetworks(resources, openSigner(config))
  const deps = {
    ...{ db, clock, networks, limits: limitsOf(config) },
    areWorkersSilent: workers.areSilent,
  }
  return {
    submit: createSubmittingFromWallet(deps),
    quoteFees: (token) => quoteWithdrawalFees(networks, token),
  }
}
