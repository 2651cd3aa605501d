// Which queued transactions can be signed now: the wallet covers them with their gas, and the chain would not
// refuse them. Nothing here is signed, so a refusal is certain.
import type { Db } from '#infra/db'
import type { BroadcastNode } from './ports.ts'
import { readCommitted, type Transaction } from './store/transactions.ts'
import type { Wallet } from './store/wallets.ts'
import { callOf, firstFees, gasLimitOf, type SigningForm } from './transaction.ts'

export interface Ready {
  readonly transaction: Transaction
  readonly form: SigningForm
}

export interface Preflight {
  readonly ready: readonly Ready[]
  /** Wait for a refill, or for the node. */
  readonly held: readonly { readonly transaction: Transaction; readonly reason: string }[]
  /** The chain would refuse them: to be canceled. */
  readonly refused: readonly { readonly transaction: Transaction; readonly reason: string }[]
}

export async function preflight(
  {
    db,
    node,
    mostFeePerGas,
  }: { readonly db: Db; readonly node: BroadcastNode; readonly mostFeePerGas: bigint },
  wallet: Wallet,
  queued: readonly Transaction[],
): Promise<Preflight> {
  // What is committed is read before the balances: a payment that is mined in between counts twice, and
  // never not at all.
  const committed = await readCommitted(db, wallet)
  const [balances, estimate] = await Promise.all([
    readBalances(node, wallet, queued),
    node.estimateFees(),
  ])
  const fees = firstFees(estimate)
  if (fees.maxFeePerGas > mostFeePerGas) {
    const held = queued.map((transaction) => ({ transaction, reason: 'fee_cap' }))
    return { ready: [], held, refused: [] }
  }
  const free = (token: string): bigint =>
    (balances.get(token) ?? 0n) - (committed.units.get(token) ?? 0n)
  const left = new Map([...balances.keys()].map((token) => [token, free(token)]))
  const owed = committed.fees + BigInt(committed.count) * estimate.dataFee
  left.set('NATIVE', (left.get('NATIVE') ?? 0n) - owed)

  const ready: Ready[] = []
  const held: { transaction: Transaction; reason: string }[] = []
  const refused: { transaction: Transaction; reason: string }[] = []
  const covered = queued.filter((transaction) => {
    const rest = (left.get(transaction.token) ?? 0n) - transaction.units
    if (rest < 0n) {
      held.push({ transaction, reason: 'hot_wallet_low' })
      return false
    }
    left.set(transaction.token, rest)
    return true
  })
  const answers = await node.simulateAll(
    covered.map((transaction) => ({ from: wallet.address, ...callOf(transaction) })),
  )
  for (const [i, transaction] of covered.entries()) {
    const answer = answers[i]
    if (answer?.kind === 'reverts') {
      refused.push({ transaction, reason: answer.reason })
    } else if (answer?.kind === 'succeeds') {
      const gas = gasLimitOf(answer.gas)
      const rest = (left.get('NATIVE') ?? 0n) - gas * fees.maxFeePerGas - estimate.dataFee
      if (rest < 0n) {
        held.push({ transaction, reason: 'gas_low' })
      } else {
        left.set('NATIVE', rest)
        ready.push({ transaction, form: { kind: 'payment', gas, ...fees } })
      }
    } else {
      const reason = answer?.kind === 'insufficient_funds' ? 'gas_low' : 'node_unavailable'
      held.push({ transaction, reason })
    }
  }
  return { ready, held, refused }
}

async function readBalances(
  node: BroadcastNode,
  { address }: Wallet,
  queued: readonly Transaction[],
): Promise<Map<string, bigint>> {
  const contracts = new Map(queued.map(({ token, tokenAddress }) => [token, tokenAddress]))
  contracts.set('NATIVE', null)
  return new Map(
    await Promise.all(
      [...contracts].map(
        async ([token, contract]) => [token, await node.balanceOf(address, contract)] as const,
      ),
    ),
  )
}
