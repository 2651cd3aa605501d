// Brings what arrived at our addresses to the treasury: the gas station sends an address the gas that its
// token needs, then the address sends the token. Each step is queued at `outbound` in the commit that
// decides it.
import { post } from '#custody'
import type { Db, Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { type Address, type BaseUnits, baseUnits } from '#kernel/chain'
import { newId } from '#kernel/id'
import { type Cents, cents } from '#kernel/money'
import {
  type BroadcastNode,
  cancel,
  firstFees,
  gasLimitOf,
  listHeldBack,
  nativeHeldBy,
  type OutboundListener,
  submit,
} from '#outbound'
import { type AcceptedToken, assetOf, type ChainId } from './chain.ts'
import type { ReadPrice } from './price.ts'
import type { Token } from './read-transfers.ts'
import { findHalt, listTokens } from './store/chains.ts'
import {
  beginSweep,
  endSweep,
  listFundable,
  listSweepable,
  lockSweep,
  type Sweep,
  type Sweepable,
  type SweepTarget,
  sendSwept,
  takeTransfers,
} from './store/sweeps.ts'
import { centsOf } from './value.ts'

export interface SweepDeps {
  readonly db: Db
  readonly clock: Clock
  readonly chain: ChainId
  readonly node: BroadcastNode
  readonly readPrice: ReadPrice
  readonly target: SweepTarget
}

const LEAST_VALUE = cents(2500n)
/** What is moved must be worth so many times its gas, or twice when it has waited for a day. */
const GAS_FACTOR = 20n
const LATE_GAS_FACTOR = 2n
const LATE_AFTER_MS = 24 * 3_600_000
const ADDRESSES_A_RUN = 50
/** An address whose gas became too little before its token was signed gets more, so many times a day. */
const MOST_TOP_UPS = 3
const TOP_UPS_WITHIN_MS = 24 * 3_600_000
/** For the price comparison only; what is sent is estimated for each address. */
const TYPICAL_TOKEN_GAS = 65_000n
const NATIVE_GAS = 21_000n

export interface SweepRound {
  readonly begun: number
  /** Addresses whose token cannot be moved now; their funds stay where they are. */
  readonly refused: readonly { readonly address: Address; readonly why: string }[]
}

export async function sweepDeposits(deps: SweepDeps, signal: AbortSignal): Promise<SweepRound> {
  const { db, chain } = deps
  const refused: { address: Address; why: string }[] = []
  let begun = 0
  if ((await findHalt(db, chain)) !== null) return { begun, refused }
  await giveUpUnderfunded(deps)
  const fees = await readFees(deps.node)
  const tokens = (await listTokens(db, chain)).filter(({ isAccepted }) => isAccepted)
  for (const token of tokens) {
    const least = await leastUnits(deps, token, fees)
    if (least === null) continue
    for (const found of await listSweepable(db, { chain, token: token.symbol, ...least })) {
      if (signal.aborted) return { begun, refused }
      const plan = await planSweep(deps, found, { token, fees })
      if (typeof plan === 'string') refused.push({ address: found.address, why: plan })
      else if (await db.transaction((tx) => begin(deps, tx, found, { token, plan }))) begun += 1
    }
  }
  return { begun, refused }
}

/**
 * Fees have risen since these sweeps began, or gas was spent, and nothing of them is signed: they are ended,
 * and the next sweep of the address moves less of its native coin, or brings the gas that its token lacks at
 * the fees of now. What was sent stays at the address and is counted, so an address never gets more than its
 * dearest sweep takes.
 */
async function giveUpUnderfunded({ db, clock, chain }: SweepDeps): Promise<void> {
  const at = clock.now()
  const since = new Date(at.getTime() - TOP_UPS_WITHIN_MS)
  const heldFor = (reason: string) => listHeldBack(db, { chain, purpose: 'sweep', reason })
  const isShort = await heldFor('hot_wallet_low')
  const lacksGas = await listFundable(db, await heldFor('gas_low'), { since, most: MOST_TOP_UPS })
  const ends = [
    ...isShort.map((refId) => ({ refId, detail: 'hot_wallet_low' })),
    ...lacksGas.map((refId) => ({ refId, detail: 'gas_low' })),
  ]
  for (const { refId, detail } of ends) {
    await db.transaction(async (tx) => {
      if ((await cancel(tx, { purpose: 'sweep', refId, at })) !== 'canceled') return
      await endSweep(tx, refId, { state: 'failed', detail, at })
    })
  }
}

interface Fees {
  readonly maxFeePerGas: bigint
  readonly dataFee: bigint
  readonly dataGas: bigint
}

async function readFees(node: BroadcastNode): Promise<Fees> {
  const estimate = await node.estimateFees()
  const { dataFee, dataGas } = estimate
  return { maxFeePerGas: firstFees(estimate).maxFeePerGas, dataFee, dataGas }
}

/** Three tenths above what it may cost: fees rise between the estimate and the block. */
const withMargin = (wei: bigint): bigint => (wei * 13n) / 10n

const costOf = ({ maxFeePerGas, dataFee }: Fees, gas: bigint): bigint =>
  gas * maxFeePerGas + dataFee

/** From which sum of an address on a sweep is worth its gas; null without prices: then nothing moves. */
async function leastUnits(
  { clock, chain, readPrice }: SweepDeps,
  { symbol, decimals }: Token,
  fees: Fees,
): Promise<{ least: bigint; lateLeast: bigint; late: Date; limit: number } | null> {
  const [price, native] = await Promise.all([
    readPrice(assetOf(chain, symbol as AcceptedToken)),
    readPrice(assetOf(chain, 'NATIVE')),
  ])
  if (price.kind === 'none' || native.kind === 'none') return null
  const gas = symbol === 'NATIVE' ? NATIVE_GAS : TYPICAL_TOKEN_GAS + NATIVE_GAS
  const cost = centsOf(costOf(fees, gas + fees.dataGas), 18, native.usdE8)
  const unitsWorth = (value: bigint): bigint =>
    (value * 10n ** BigInt(decimals + 6)) / price.usdE8 + 1n
  const least = cost * GAS_FACTOR > LEAST_VALUE ? (cents(cost * GAS_FACTOR) as Cents) : LEAST_VALUE
  return {
    least: unitsWorth(least),
    lateLeast: unitsWorth(cost * LATE_GAS_FACTOR + 1n),
    late: new Date(clock.now().getTime() - LATE_AFTER_MS),
    limit: ADDRESSES_A_RUN,
  }
}

interface Plan {
  /** Wei that the gas station sends first. */
  readonly gasUnits: bigint
  /** The most that may be moved: of native coin what is left after its own gas. */
  readonly most: bigint | null
}

/** Why not now, or what it takes. */
async function planSweep(
  { node, target }: SweepDeps,
  { address, hdIndex, units }: Sweepable,
  { token, fees }: { readonly token: Token; readonly fees: Fees },
): Promise<Plan | string> {
  const held = await nativeHeldBy(node, { address, keyRef: `deposit/${hdIndex}` })
  const call =
    token.symbol === 'NATIVE'
      ? ({ to: target.address, value: 1n, data: '0x' } as const)
      : { to: token.contract, value: 0n, data: transferData(target.address, units) }
  const tried = await node.simulate({ from: address, ...call })
  if (tried.kind !== 'succeeds') return tried.kind
  const needed = withMargin(costOf(fees, gasLimitOf(tried.gas)))
  if (token.symbol === 'NATIVE') {
    // Twice the margin: what is not needed stays at the address, for the gas of its tokens.
    const most = held - 2n * needed
    return most > 0n ? { gasUnits: 0n, most } : 'the balance does not cover its own gas'
  }
  return { gasUnits: held >= needed ? 0n : needed - held, most: null }
}

/** ERC-20: transfer(address,uint256). */
const transferData = (to: Address, units: bigint): `0x${string}` =>
  `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, '0')}${units.toString(16).padStart(64, '0')}`

/** Takes what the address has, and queues the first transaction. False: another one is under way. */
async function begin(
  { clock, chain, target }: SweepDeps,
  tx: Tx,
  found: Sweepable,
  { token, plan }: { readonly token: Token; readonly plan: Plan },
): Promise<boolean> {
  const at = clock.now()
  const id = newId(at.getTime())
  const { addressId, hdIndex, address } = found
  const { gasUnits, most } = plan
  const units = most !== null && most < found.units ? most : found.units
  const state = gasUnits > 0n ? 'gas_sent' : 'sweep_sent'
  const sweep = {
    id,
    addressId,
    chain,
    token: token.symbol,
    units,
    gasUnits,
    target,
    state,
  } as const
  if (!(await beginSweep(tx, sweep, at))) return false
  const taken = await takeTransfers(tx, sweep, found.transferIds)
  // A transfer left the chain since it was read: the whole sweep is left to the next round.
  if (taken !== found.units) throw new Error(`transfers of sweep ${id} changed while it began`)
  if (state === 'sweep_sent')
    await queueSweep(tx, { ...sweep, hdIndex, contract: token.contract }, at)
  else {
    const gas = { chain, purpose: 'gas', refId: id, depositIndex: hdIndex, keyRef: 'gas' } as const
    const sends = { ...NATIVE, recipient: address, units: baseUnits(gasUnits), needsCapital: false }
    await submit(tx, [{ id: newId(at.getTime()), ...gas, ...sends }], at)
  }
  return true
}

const NATIVE = { token: 'NATIVE', tokenAddress: null } as const

type QueuedSweep = Pick<
  Sweep,
  'id' | 'chain' | 'token' | 'units' | 'hdIndex' | 'contract' | 'target'
>

async function queueSweep(tx: Tx, sweep: QueuedSweep, at: Date): Promise<void> {
  const { id: refId, chain, token, contract, units, hdIndex, target } = sweep
  await submit(
    tx,
    [
      {
        ...{ id: newId(at.getTime()), chain, purpose: 'sweep', refId, depositIndex: null },
        keyRef: `deposit/${hdIndex}`,
        token,
        tokenAddress: token === 'NATIVE' ? null : contract,
        recipient: target.address,
        units: baseUnits(units),
        needsCapital: false,
      },
    ],
    at,
  )
}

/** What `outbound` calls, in the commit of the step, when gas of a sweep is accepted or finished. */
export const gasListener: OutboundListener = {
  accepted: async () => {},
  finished: async (tx, { refId, outcome, detail, at }) => {
    const sweep = await lockSweep(tx, refId)
    if (sweep?.state !== 'gas_sent') return
    if (outcome !== 'confirmed') return endSweep(tx, refId, { state: 'failed', detail, at })
    await move(tx, sweep, {
      ...{ part: 'gas', token: 'NATIVE', units: baseUnits(sweep.gasUnits) },
      ...{ from: 'gas_station', to: 'deposit_address', at },
    })
    await sendSwept(tx, refId)
    await queueSweep(tx, sweep, at)
  },
}

/** The same for the sweep itself. One that failed gives its transfers to the next sweep. */
export const sweepListener: OutboundListener = {
  accepted: async () => {},
  finished: async (tx, { refId, outcome, detail, at }) => {
    const sweep = await lockSweep(tx, refId)
    if (sweep?.state !== 'sweep_sent') return
    if (outcome !== 'confirmed') return endSweep(tx, refId, { state: 'failed', detail, at })
    await move(tx, sweep, {
      ...{ part: 'moved', token: sweep.token, units: baseUnits(sweep.units) },
      ...{ from: 'deposit_address', to: sweep.target.role, at },
    })
    await endSweep(tx, refId, { state: 'swept', detail: null, at })
  },
}

type AssetRole = 'gas_station' | 'deposit_address' | SweepTarget['role']

async function move(
  tx: Tx,
  { id, chain }: Sweep,
  {
    part,
    token,
    units,
    from,
    to,
    at,
  }: { part: string; token: string; units: BaseUnits; from: AssetRole; to: AssetRole; at: Date },
): Promise<void> {
  const key = `sweep:${id}:${part}`
  const reason = part === 'gas' ? 'sweep_gas' : 'sweep'
  await post(tx, [{ key, reason, refId: id, chain, token, units, debit: to, credit: from }], at)
}
