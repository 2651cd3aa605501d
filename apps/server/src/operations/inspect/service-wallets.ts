// The wallets that the service signs from: what each holds by the books and by its node, beside what is
// queued on it.
import { type Holding, listHoldings, listTokens } from '#chains'
import { type Balance, readBalances } from '#custody'
import type { Snapshot } from '#infra/database/db'
import { listServiceWallets, type QueuedUnits, readQueuedUnits, type Wallet } from '#outbound'

export interface WalletBalance {
  readonly token: string
  readonly decimals: number
  /** Base units, by the books in kind. */
  readonly booked: bigint
  /** By the node, when the chain was compared with the books last; null: it never was. */
  readonly onNode: { readonly units: bigint; readonly comparedAt: Date } | null
  /** What is queued on the wallet: with less than this and its gas, payments wait. */
  readonly queued: bigint
  /** Something that is queued waits, because the wallet cannot cover it. */
  readonly isLow: boolean
}

export interface ServiceWallet extends Wallet {
  readonly balances: readonly WalletBalance[]
}

export async function readServiceWallets(at: Snapshot): Promise<ServiceWallet[]> {
  const wallets = await listServiceWallets(at)
  const books = await readBalances(at, null)
  const holdings = await listHoldings(at)
  const queued = await readQueuedUnits(at)
  const shown: ServiceWallet[] = []
  for (const wallet of wallets) {
    const tokens = await listTokens(at, wallet.chain as Holding['chain'])
    const decimals = new Map(
      tokens
        .filter(({ isAccepted }) => isAccepted)
        .map(({ symbol, decimals: digits }) => [symbol as string, digits]),
    )
    const balances = balancesOf(wallet, { books, holdings, queued, decimals })
    shown.push({ ...wallet, balances })
  }
  return shown
}

interface Known {
  readonly books: readonly Balance[]
  readonly holdings: readonly Holding[]
  readonly queued: readonly QueuedUnits[]
  readonly decimals: ReadonlyMap<string, number>
}

const NATIVE_DECIMALS = 18

function balancesOf(
  { chain, keyRef }: Wallet,
  { books, holdings, queued, decimals }: Known,
): WalletBalance[] {
  const role = keyRef === 'hot' ? 'hot_wallet' : 'gas_station'
  const isHere = (one: { readonly chain: string; readonly role: string }): boolean =>
    one.chain === chain && one.role === role
  const waiting = queued.filter((one) => one.chain === chain && one.keyRef === keyRef)
  const lacksGas = waiting.some(({ isGasLow }) => isGasLow)
  const tokens = new Set(
    [...books.filter(isHere), ...holdings.filter(isHere), ...waiting].map(({ token }) => token),
  )
  if (lacksGas) tokens.add('NATIVE')
  return [...tokens].sort().map((token) => {
    const own = waiting.find((one) => one.token === token)
    const held = holdings.find((one) => isHere(one) && one.token === token)
    return {
      ...{ token, decimals: decimals.get(token) ?? NATIVE_DECIMALS },
      booked: books.find((one) => isHere(one) && one.token === token)?.units ?? 0n,
      onNode: held === undefined ? null : { units: held.units, comparedAt: held.comparedAt },
      queued: own?.units ?? 0n,
      isLow: (own?.isLow ?? false) || (token === 'NATIVE' && lacksGas),
    }
  })
}
