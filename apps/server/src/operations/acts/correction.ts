// Books by hand what moved a wallet of ours without a transaction of ours: an opening, what it held before
// the service knew of it; a loss, what a foreign transaction cost or an operator took out. The units come
// from a comparison of chain and books at one block: nothing is booked that the chain does not show.
import type { Actor } from '#audit'
import { isAtRest, type ReconcileDeps, reconcileChain } from '#chains'
import { type Correction, listPostingsInKind, postCorrection, readBalance } from '#custody'
import { baseUnits, type TokenSymbol } from '#kernel/chain'
import { type ActDeps, perform } from './act.ts'

export interface CorrectionRequest
  extends Pick<Correction, 'id' | 'kind' | 'role' | 'counterpart'> {
  readonly token: TokenSymbol
  /** Base units; null: all that the chain and the books differ by in this direction. */
  readonly units: bigint | null
}

export interface PlannedCorrection extends Correction {
  /** At which the chain and the books were compared. */
  readonly block: bigint
  readonly onChain: bigint
  /** With what arrived and is not final yet. */
  readonly inBooks: bigint
}

export type CorrectionPlan =
  | { readonly kind: 'planned'; readonly correction: PlannedCorrection }
  /** Under this id; nothing more is to be done. */
  | { readonly kind: 'posted' }
  /** The id is of another posting. */
  | { readonly kind: 'id_taken' }
  /** So many base units can be booked in this direction: zero or less leaves nothing. */
  | { readonly kind: 'too_much'; readonly unbooked: bigint }
  | { readonly kind: 'unknown_token' }
  /** Too many transactions of ours are under way on the chain; for a loss, any at this wallet. */
  | { readonly kind: 'moving' }
  /** A re-organisation of the chain is not scanned yet. */
  | { readonly kind: 'replaced' }
  /** Nothing is scanned yet, or a node does not have the state of the newest scanned block. */
  | { readonly kind: 'unavailable' }
  /** A loss is not booked on the word of one node. */
  | { readonly kind: 'no_second_node' }
  | { readonly kind: 'second_node_differs' }

export async function planCorrection(
  deps: ReconcileDeps,
  request: CorrectionRequest,
): Promise<CorrectionPlan> {
  const { db, node } = deps
  const { chain } = node
  const { id, kind, role, token, units, counterpart } = request
  const [known] = await listPostingsInKind(db, [id])
  if (known !== undefined) {
    const isSame = known.reason === kind && known.chain === chain && known.token === token
    const hasRole = (kind === 'opening' ? known.debit : known.credit) === role
    return { kind: isSame && hasRole ? 'posted' : 'id_taken' }
  }
  // Read first: what is posted from here on is seen when the correction is booked.
  const booked = await readBalance(db, role, { chain, token })
  const compared = await compare(deps, request)
  if (compared.kind !== 'compared') return compared
  const { block, onChain, inBooks } = compared
  const unbooked = kind === 'opening' ? onChain - inBooks : inBooks - onChain
  const wanted = units ?? unbooked
  if (wanted <= 0n || wanted > unbooked) return { kind: 'too_much', unbooked }
  if (kind === 'loss') {
    const doubt = await doubtLoss(deps, request, unbooked)
    if (doubt !== null) return { kind: doubt }
  }
  const what = { id, kind, chain, token, role, counterpart, units: baseUnits(wanted), booked }
  return { kind: 'planned', correction: { ...what, block, onChain, inBooks } }
}

async function compare(
  deps: ReconcileDeps,
  { role, token }: Pick<CorrectionRequest, 'role' | 'token'>,
) {
  const compared = await reconcileChain(deps)
  if (compared.kind === 'not_scanned') return { kind: 'unavailable' } as const
  if (compared.kind !== 'compared') return compared
  const { block, tokens, differences } = compared
  if (!tokens.includes(token)) return { kind: 'unknown_token' } as const
  const found = differences.find((one) => one.role === role && one.token === token)
  const { onChain, inBooks } = found ?? { onChain: 0n, inBooks: 0n }
  return { kind: 'compared', block, onChain, inBooks } as const
}

/** Why the shortage is not certain: it is seen at rest only, and by a node of another operator too. */
async function doubtLoss(
  deps: ReconcileDeps,
  request: CorrectionRequest,
  shortage: bigint,
): Promise<'moving' | 'no_second_node' | 'second_node_differs' | 'unavailable' | null> {
  const { db, node } = deps
  if (!(await isAtRest(db, node.chain, request.role))) return 'moving'
  if (node.second === null) return 'no_second_node'
  const { balances } = node.second
  const again = await compare({ ...deps, node: { ...node, balances } }, request)
  if (again.kind !== 'compared') return 'unavailable'
  return again.inBooks - again.onChain === shortage ? null : 'second_node_differs'
}

class Moved extends Error {}

/** False: the books have moved since it was planned, and nothing is posted. */
export async function bookCorrection(
  deps: ActDeps,
  actor: Actor,
  correction: PlannedCorrection,
  reason: string,
): Promise<boolean> {
  const { id, kind, chain, role, token, units, counterpart, block, onChain, inBooks } = correction
  try {
    await perform(
      deps,
      actor,
      {
        act: `custody.${kind}`,
        subject: { type: 'holding', id: `${chain}:${role}:${token}` },
        details: { id, units, counterpart, block, onChain, inBooks, reason },
      },
      async (tx, at) => {
        // Thrown, so that no entry is left.
        if (!(await postCorrection(tx, correction, at))) throw new Moved()
      },
    )
    return true
  } catch (error) {
    if (error instanceof Moved) return false
    throw error
  }
}
