// What payouts asks of the chains: tokens from their tables, prices, fees and balances from the nodes.
import {
  type AcceptedToken,
  areOurAddresses,
  assetOf,
  CHAIN_IDS,
  type ChainId,
  findHalts,
  listTokenContracts,
  listTokens,
  type ReadPrice,
} from '#chains'
import { batched } from '#infra/database/batch'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { createKeyedMemo, createMemo } from '#infra/process/memo'
import type { Address } from '#kernel/chain'
import { type BroadcastNode, firstFees, paymentGasOf, type Signer } from '#outbound'
import type { PayableToken, PayoutNetworks } from '#payouts'

export interface PayoutNetworksDeps {
  readonly db: Db
  readonly clock: Clock
  readonly nodes: ReadonlyMap<string, BroadcastNode>
  readonly readPrice: ReadPrice
  /** Null while nothing can be signed: then nothing can be paid out either. */
  readonly signer: Signer | null
  readonly treasury: Address | null
}

/** Prices, fees and balances are asked for at most so often for each chain and token. */
const FRESH_MS = 5_000
const WEI = 10n ** 18n

export function createPayoutNetworks(deps: PayoutNetworksDeps): PayoutNetworks {
  const { db, clock, nodes, signer, treasury } = deps
  const contracts = createMemo(() => listTokenContracts(db), { clock, freshMs: FRESH_MS })
  const recent = createKeyedMemo<PayableToken | null>({ clock, freshMs: FRESH_MS, max: 64 })
  // Never remembered: a chain that was halted pays nothing from then on.
  const findHalt = batched((chains: readonly ChainId[]) => findHalts(db, chains))
  const isOurAddress = batched((addresses: readonly Address[]) => areOurAddresses(db, addresses))
  const isOn = async (chain: ChainId): Promise<boolean> =>
    nodes.has(chain) && (await findHalt(chain)) === null
  return {
    find: async (chain, token) => {
      const id = CHAIN_IDS.find((known) => known === chain)
      const node = nodes.get(chain)
      if (id === undefined || node === undefined || signer === null) return null
      if (!(await isOn(id))) return null
      const given = { ...deps, node, signer }
      return recent(`${chain} ${token}`, () => findToken(given, id, token as AcceptedToken))
    },
    isOurs: async (address) => {
      const own = await Promise.all(
        (['hot', 'gas'] as const).map((key) => unlessAway(async () => signer?.address(key))),
      )
      const isOwn = (one: Address | null | undefined): boolean =>
        one?.toLowerCase() === address.toLowerCase()
      return [...own, treasury].some(isOwn) || isOurAddress(address)
    },
    isTokenContract: async (address) => (await contracts()).has(address.toLowerCase()),
    listChains: async () => {
      const on = await Promise.all(CHAIN_IDS.map(isOn))
      return CHAIN_IDS.filter((_chain, i) => on[i])
    },
  }
}

interface Given extends Omit<PayoutNetworksDeps, 'signer'> {
  readonly node: BroadcastNode
  readonly signer: Signer
}

async function findToken(
  { db, node, signer, readPrice }: Given,
  chain: ChainId,
  symbol: AcceptedToken,
): Promise<PayableToken | null> {
  const tokens = await listTokens(db, chain)
  const token = tokens.find((one) => one.isAccepted && one.symbol === symbol)
  if (token === undefined) return null
  const address = symbol === 'NATIVE' ? null : token.contract
  const [price, coin, fee, hotUnits] = await Promise.all([
    readPrice(assetOf(chain, symbol)),
    readPrice(assetOf(chain, 'NATIVE')),
    unlessAway(() => node.estimateFees()),
    unlessAway(async () => node.balanceOf(await signer.address('hot'), address)),
  ])
  const { priced } = paymentGasOf({ tokenAddress: address })
  const wei = fee && (priced + fee.dataGas) * firstFees(fee).maxFeePerGas + fee.dataFee
  return {
    address,
    decimals: token.decimals,
    usdE8: price.kind === 'price' ? price.usdE8 : null,
    feeCents: wei === null || coin.kind !== 'price' ? null : centsRoundedUp(wei, coin.usdE8),
    hotUnits,
  }
}

/** At least one cent. */
function centsRoundedUp(wei: bigint, usdE8: bigint): bigint {
  const scale = WEI * 1_000_000n
  const value = (wei * usdE8 + scale - 1n) / scale
  return value > 0n ? value : 1n
}

/** A node or a signer that is away makes the figure unknown; the request says so. */
async function unlessAway<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch {
    return null
  }
}
