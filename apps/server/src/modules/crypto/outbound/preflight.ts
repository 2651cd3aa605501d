// Which queued transactions can be signed now: the wallet covers them with their gas, what owners have in
// custody is not used for what is owed in cents, and the chain would not refuse them. Nothing here is signed,
// so a refusal is certain.
import { readOwnFunds } from '#custody'
import type { Db } from '#infra/database/db'
import { baseUnits } from '#kernel/chain'
import { nativeHeldBy } from './held.ts'
import type { BroadcastNode, SimulationAnswer } from './ports.ts'
import { readCommitted, readUnfinishedCapital, type Transaction } from './store/transactions.ts'
import type { Wallet } from './store/wallets.ts'
import { callOf, firstFees, gasLimitOf, paymentGasOf, type SigningForm } from './transaction.ts'

export interface Ready {
  readonly transaction: Transaction
  readonly form: SigningForm
}

export interface Preflight {
  readonly ready: readonly Ready[]
  /** Wait for a refill, for the node, or until the wallet may pay the token again. */
  readonly held: readonly { readonly transaction: Transaction; readonly reason: string }[]
  /** The chain would refuse them, or they would cost many times their fee: to be canceled. */
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
  const capital = await readCapital(db, wallet, queued)
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
  const spend = (from: Map<string, bigint>, token: string, units: bigint): void =>
    void from.set(token, (from.get(token) ?? 0n) - units)
  spend(left, 'NATIVE', owed)
  spend(capital, 'NATIVE', owed)

  const ready: Ready[] = []
  const held: { transaction: Transaction; reason: string }[] = []
  const refused: { transaction: Transaction; reason: string }[] = []
  const covered = queued.filter((transaction) => {
    const { token, units, needsCapital } = transaction
    const isIn = (funds: Map<string, bigint>): boolean => (funds.get(token) ?? 0n) >= units
    const isFunded = !needsCapital || isIn(capital)
    if (!isIn(left) || !isFunded) {
      held.push({ transaction, reason: isFunded ? 'hot_wallet_low' : 'capital_low' })
      return false
    }
    spend(left, token, units)
    if (needsCapital) spend(capital, token, units)
    return true
  })
  const answers = await node.simulateAll(
    covered.map((transaction) => ({ from: wallet.address, ...callOf(transaction) })),
  )
  const barred = await readBarred(
    node,
    wallet,
    covered.filter((_, i) => answers[i]?.kind === 'reverts'),
  )
  for (const [i, transaction] of covered.entries()) {
    const answer = answers[i]
    const refusal = refusalOf(transaction, answer, estimate.dataGas)
    const bar = answer?.kind === 'reverts' ? barred.get(transaction.id) : undefined
    if (bar !== undefined) {
      held.push({ transaction, reason: bar })
    } else if (refusal !== null) {
      refused.push({ transaction, reason: refusal })
    } else if (answer?.kind === 'succeeds') {
      const gas = gasLimitOf(answer.gas)
      const fee = gas * fees.maxFeePerGas + estimate.dataFee
      const isIn = (funds: Map<string, bigint>): boolean => (funds.get('NATIVE') ?? 0n) >= fee
      const isFunded = !transaction.needsCapital || isIn(capital)
      if (!isIn(left) || !isFunded) {
        held.push({ transaction, reason: isFunded ? 'gas_low' : 'gas_capital_low' })
      } else {
        spend(left, 'NATIVE', fee)
        spend(capital, 'NATIVE', fee)
        ready.push({ transaction, form: { kind: 'payment', gas, ...fees } })
      }
    } else {
      const reason = answer?.kind === 'insufficient_funds' ? 'gas_low' : 'node_unavailable'
      held.push({ transaction, reason })
    }
  }
  return { ready, held, refused }
}

/**
 * Why the wallet cannot pay a token to anyone, for each of these payments of which that is so: an issuer
 * can freeze an address, and pause a token. The token is asked, by a payment of the wallet to itself, which
 * does not depend on how its contract names its list. A payment is its recipient's fault only where that
 * succeeds and the payment, asked for beside it, still fails: between two calls a freeze may begin or end.
 * A sweep that reverts is begun again by itself, and returns nothing to anyone.
 */
async function readBarred(
  node: BroadcastNode,
  { address }: Wallet,
  reverted: readonly Transaction[],
): Promise<ReadonlyMap<string, string>> {
  const payouts = reverted.filter(
    ({ purpose, tokenAddress }) => purpose === 'payout' && tokenAddress !== null,
  )
  const tokens = [...new Map(payouts.map((one) => [one.token, one])).values()]
  if (tokens.length === 0) return new Map()
  const own = tokens.map((one) => ({ ...one, recipient: address, units: baseUnits(1n) }))
  const answers = await node.simulateAll(
    [...own, ...payouts].map((payment) => ({ from: address, ...callOf(payment) })),
  )
  const bars = new Map(tokens.map(({ token }, i) => [token, BARS[answers[i]?.kind ?? 'unknown']]))
  return new Map(
    payouts.flatMap(({ id, token }, i) => {
      const stillReverts = answers[tokens.length + i]?.kind === 'reverts'
      const bar = bars.get(token) ?? (stillReverts ? null : 'node_unavailable')
      return bar === null ? [] : [[id, bar]]
    }),
  )
}

/** What the answer to a payment to itself says of a wallet; null: nothing bars it. */
const BARS: Readonly<Record<SimulationAnswer['kind'], string | null>> = {
  succeeds: null,
  reverts: 'wallet_frozen',
  insufficient_funds: 'gas_low',
  unknown: 'node_unavailable',
}

/** Why it is never to be signed; null: nothing says so. */
function refusalOf(
  transaction: Transaction,
  answer: SimulationAnswer | undefined,
  dataGas: bigint,
): string | null {
  if (answer?.kind === 'reverts') return answer.reason
  // Sweeps and their gas go to addresses of ours, which work for no one else.
  if (answer?.kind !== 'succeeds' || transaction.purpose !== 'payout') return null
  const most = paymentGasOf(transaction).most + dataGas
  if (answer.gas <= most) return null
  return `it needs ${answer.gas} units of gas, and a payment may use ${most}`
}

/**
 * The service's own funds on the chain by the books, by token, less what left or leaves for what is owed in
 * cents and is not booked. Empty when nothing queued needs them.
 */
async function readCapital(
  db: Db,
  wallet: Wallet,
  queued: readonly Transaction[],
): Promise<Map<string, bigint>> {
  const needing = queued.filter(({ needsCapital }) => needsCapital)
  if (needing.length === 0) return new Map()
  // What is unfinished is read first: a payment that is booked in between counts twice, and never not at all.
  const unfinished = await readUnfinishedCapital(db, wallet)
  const tokens = [...new Set(['NATIVE', ...needing.map(({ token }) => token)])]
  const own = await readOwnFunds(db, wallet.chain, tokens)
  return new Map(
    tokens.map((token) => [token, (own.get(token) ?? 0n) - (unfinished.get(token) ?? 0n)]),
  )
}

async function readBalances(
  node: BroadcastNode,
  wallet: Wallet,
  queued: readonly Transaction[],
): Promise<Map<string, bigint>> {
  const contracts = new Map(queued.map(({ token, tokenAddress }) => [token, tokenAddress]))
  contracts.set('NATIVE', null)
  return new Map(
    await Promise.all(
      [...contracts].map(async ([token, contract]) => {
        const held =
          contract === null
            ? await nativeHeldBy(node, wallet)
            : await node.balanceOf(wallet.address, contract)
        return [token, held] as const
      }),
    ),
  )
}
