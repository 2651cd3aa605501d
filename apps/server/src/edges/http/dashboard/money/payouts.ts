// Payout custody of the session's account: balances, withdrawals and their approval, destinations. A partner
// reads the withdrawals from its own wallet and those of its children.
import { dashboardRoutes, PAYOUT_TOKENS, type QuoteWithdrawalBody } from '@tradepost/contract'
import type { Static } from 'typebox'
import { findChildren, readExternalIds } from '#identity'
import type { Db } from '#infra/database/db'
import { cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import {
  type ActDeps,
  changeDestinations,
  type DestinationChange,
  readTransactionHold,
} from '#operations'
import {
  type ApprovalCallback,
  centsOfUnits,
  createSubmitting,
  destinationOf,
  findMerchantSettings,
  judgeLines,
  listApprovalAttempts,
  listBatches,
  listBatchWithdrawals,
  listCustodyDeposits,
  listDestinations,
  listWithdrawals,
  type PayoutLimits,
  type PayoutNetworks,
  quoteFromCustody,
  readBatch,
  readCustody,
  readWithdrawals,
  type SubmittingDeps,
  submitBatch,
  type Withdrawal,
} from '#payouts'
import {
  batchPreviewView,
  custodyView,
  destinationsView,
  withdrawalDetailView,
  withdrawalQuoteView,
} from '#wire/dashboard/money'
import { custodyDepositView, payoutBatchView, withdrawalView } from '#wire/merchant/payout'
import { linesOf } from '../../shared/payout-batch.ts'
import { audited } from '../audited.ts'
import { type DashboardOperations, type LoggedIn, operation } from '../operation.ts'
import { readChildEmails } from '../partner/child-emails.ts'

export interface DashboardPayoutsDeps extends ActDeps {
  readonly networks: PayoutNetworks
  readonly callback: ApprovalCallback
  readonly limits: PayoutLimits
  readonly areWorkersSilent: SubmittingDeps['areWorkersSilent']
  /** The address of an account's custody; null while chain deposits are switched off. */
  readonly custodyAddressFor: ((accountId: string) => Promise<string>) | null
}

type PayoutOperations = Pick<
  DashboardOperations,
  | 'getCustody'
  | 'getCustodyAddress'
  | 'listOwnCustodyDeposits'
  | 'listOwnWithdrawals'
  | 'getOwnWithdrawal'
  | 'quoteOwnWithdrawal'
  | 'createOwnWithdrawal'
  | 'listOwnBatches'
  | 'getOwnBatch'
  | 'previewOwnBatch'
  | 'createOwnBatch'
  | 'getDestinations'
  | 'addDestination'
  | 'removeDestination'
  | 'restrictDestinations'
>

export function createDashboardPayouts(deps: DashboardPayoutsDeps): PayoutOperations {
  const { db, networks, limits, custodyAddressFor } = deps
  const shown = async ({ account: { id } }: LoggedIn) =>
    destinationsView({
      settings: await findMerchantSettings(db, id),
      items: await listDestinations(db, id),
      limits,
    })
  const change = async (caller: LoggedIn, change: DestinationChange) => {
    // The list holds for withdrawals from payout custody, which no other account has.
    if (caller.account.kind !== 'merchant') return refuse('FORBIDDEN')
    await changeDestinations(deps, caller.actor, caller.account.id, change)
    return shown(caller)
  }
  return {
    getCustody: operation(dashboardRoutes.getCustody, async ({ caller }) => {
      const held = await db.snapshot((at) => readCustody(at, caller.account.id, null))
      const valued = await Promise.all(
        held.map(async (balance) => {
          const token = await networks.find(balance.chain, balance.token)
          const usdE8 = token?.usdE8 ?? null
          const decimals = token?.decimals ?? 18
          const worth = (units: bigint) =>
            usdE8 === null ? null : centsOfUnits(units, decimals, usdE8)
          return { balance, token, worth }
        }),
      )
      return custodyView(valued)
    }),

    getCustodyAddress: operation(dashboardRoutes.getCustodyAddress, async ({ caller }) => {
      // What another account paid in there could not be withdrawn.
      if (caller.account.kind !== 'merchant') return refuse('FORBIDDEN')
      if (custodyAddressFor === null) return refuse('SERVICE_DISABLED', { reason: 'switched_off' })
      return {
        address: await custodyAddressFor(caller.account.id),
        chains: [...(await networks.listChains())],
        tokens: [...PAYOUT_TOKENS],
      }
    }),

    listOwnCustodyDeposits: operation(
      dashboardRoutes.listOwnCustodyDeposits,
      async ({ caller, query: { status = null, cursor = null, from, to, limit } }) => {
        const { items, nextCursor } = await listCustodyDeposits(db, {
          ...{ merchantId: caller.account.id, userId: null, status, cursor, limit },
          ...{ from: dateOf(from), to: dateOf(to) },
        })
        const names = await readExternalIds(
          db,
          items.flatMap(({ userId }) => userId ?? []),
        )
        const shown = items.map((each) =>
          custodyDepositView(each, names.get(each.userId ?? '') ?? null),
        )
        return { items: shown, nextCursor }
      },
    ),

    listOwnWithdrawals: operation(dashboardRoutes.listOwnWithdrawals, async ({ caller, query }) => {
      const tenantId = caller.account.id
      const of = query.userId === undefined ? { tenantId } : { ownerId: query.userId }
      if (query.userId !== undefined) await refuseForeignUser(db, tenantId, query.userId)
      const { items, nextCursor } = await listWithdrawals(db, {
        ...{ of, status: query.status ?? null, forUserId: null },
        ...{ externalId: query.externalId ?? null, cursor: query.cursor ?? null },
        ...{ from: dateOf(query.from), to: dateOf(query.to) },
        limit: query.limit,
      })
      const owners = items.map(({ ownerId }) => ownerId)
      const emails = await readChildEmails(db, caller.account, owners)
      const shown = items.map((withdrawal) => ({
        ...withdrawalView(withdrawal),
        userEmail: emails.get(withdrawal.ownerId) ?? null,
      }))
      return { items: shown, nextCursor }
    }),

    getOwnWithdrawal: operation(dashboardRoutes.getOwnWithdrawal, async ({ caller, params }) => {
      const [withdrawal] = await readWithdrawals(db, [params.id])
      if (withdrawal?.tenantId !== caller.account.id) return refuse('CRYPTO_PAYOUT_NOT_FOUND')
      return withdrawalDetailView(withdrawal, {
        attempts: await listApprovalAttempts(db, withdrawal.id),
        transactionHold: await readTransactionHold(db, withdrawal),
      })
    }),

    quoteOwnWithdrawal: operation(
      dashboardRoutes.quoteOwnWithdrawal,
      async ({ caller: { account }, body }) => {
        const request = requestOf(account, body)
        const quote = await quoteFromCustody(deps, request)
        const held = await db.snapshot((at) => readCustody(at, account.id, null))
        const ofToken = held.find(
          ({ chain, token }) => chain === body.chain && token === body.token,
        )
        return withdrawalQuoteView(quote, {
          heldUnits: ofToken?.units ?? 0n,
          isAboveLimit: request.amountCents > limits.perTransaction,
        })
      },
    ),

    createOwnWithdrawal: operation(
      dashboardRoutes.createOwnWithdrawal,
      async ({ caller: { account, actor }, body }) => {
        const { externalId, chain, token, destination, amountCents } = body
        const request = { ...requestOf(account, body), externalId, forUser: null, keyId: null }
        const recorded = audited(deps, actor, (created) => ({
          act: 'payout.create',
          subject: { type: 'withdrawal', id: (created as Withdrawal[])[0]?.id ?? null },
          details: { externalId, chain, token, destination, amountCents },
        }))
        return withdrawalView(await createSubmitting({ ...deps, db: recorded })(request))
      },
    ),

    listOwnBatches: operation(
      dashboardRoutes.listOwnBatches,
      async ({ caller, query: { externalId = null, cursor = null, limit } }) => {
        const ownerId = caller.account.id
        const page = await listBatches(db, { ownerId, externalId, cursor, limit })
        return { items: page.items.map(payoutBatchView), nextCursor: page.nextCursor }
      },
    ),

    getOwnBatch: operation(dashboardRoutes.getOwnBatch, async ({ caller, params }) => {
      const batch = await readBatch(db, params.id)
      if (batch?.ownerId !== caller.account.id) return refuse('CRYPTO_PAYOUT_NOT_FOUND')
      const withdrawals = await listBatchWithdrawals(db, batch.id)
      return { batch: payoutBatchView(batch), withdrawals: withdrawals.map(withdrawalView) }
    }),

    previewOwnBatch: operation(
      dashboardRoutes.previewOwnBatch,
      async ({ caller: { account }, body }) => {
        const asked = { merchantId: merchantOf(account), keyId: null, lines: linesOf(body) }
        return batchPreviewView(await judgeLines(deps, asked), limits.perTransaction)
      },
    ),

    createOwnBatch: operation(
      dashboardRoutes.createOwnBatch,
      async ({ caller: { account, actor }, body }) => {
        const { externalId } = body
        const lines = linesOf(body)
        const amountCents = lines.reduce((sum, line) => sum + line.amountCents, 0n)
        const recorded = audited(deps, actor, (written) => ({
          act: 'payout.create_batch',
          subject: { type: 'payout_batch', id: (written as { readonly id: string }).id },
          details: { externalId, withdrawals: lines.length, amountCents: Number(amountCents) },
        }))
        const asked = { merchantId: merchantOf(account), externalId, lines, keyId: null }
        return payoutBatchView(await submitBatch({ ...deps, db: recorded }, asked))
      },
    ),

    getDestinations: operation(dashboardRoutes.getDestinations, ({ caller }) => shown(caller)),

    addDestination: operation(dashboardRoutes.addDestination, ({ caller, body }) =>
      change(caller, { kind: 'add', address: destinationOf(body.address) }),
    ),

    removeDestination: operation(dashboardRoutes.removeDestination, ({ caller, params }) =>
      change(caller, { kind: 'remove', address: destinationOf(params.address) }),
    ),

    restrictDestinations: operation(dashboardRoutes.restrictDestinations, ({ caller, body }) =>
      change(caller, { kind: 'only_known', on: body.onlyKnown }),
    ),
  }
}

const dateOf = (text: string | undefined): Date | null =>
  text === undefined ? null : new Date(text)

/** Its id: no other account has payout custody. */
const merchantOf = ({ id, kind }: Pick<LoggedIn['account'], 'id' | 'kind'>): string =>
  kind === 'merchant' ? id : refuse('FORBIDDEN')

function requestOf(
  { id, kind }: LoggedIn['account'],
  { chain, token, destination, amountCents }: Static<typeof QuoteWithdrawalBody>,
) {
  return {
    ...{ merchantId: merchantOf({ id, kind }), chain, token, destination },
    amountCents: cents(BigInt(amountCents)),
  }
}

/** Unless it is the account itself or one of its children. */
async function refuseForeignUser(db: Db, tenantId: string, userId: string): Promise<void> {
  if (userId === tenantId) return
  const [child] = await findChildren(db, tenantId, [userId])
  if (child === undefined) refuse('USER_NOT_FOUND')
}
