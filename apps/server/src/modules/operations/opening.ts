// Books what a wallet of ours held before the service knew of it. The units come from a comparison of the
// chain with the books at one block, so that nothing is booked that the chain does not show.
import type { Actor } from '#audit'
import { type ReconcileDeps, reconcileChain } from '#chains'
import { type Opening, postOpening, readBalance } from '#custody'
import { type BaseUnits, baseUnits, type TokenSymbol } from '#kernel/chain'
import { newId } from '#kernel/id'
import { type ActDeps, perform } from './act.ts'

export interface OpeningRequest {
  readonly role: Opening['role']
  readonly token: TokenSymbol
  /** Base units; null: all that the books do not have. */
  readonly units: bigint | null
}

export interface PlannedOpening extends Omit<Opening, 'id'> {
  /** At which the chain and the books were compared. */
  readonly block: bigint
  readonly onChain: bigint
  /** With what arrived and is not final yet. */
  readonly inBooks: bigint
}

export type OpeningPlan =
  | { readonly kind: 'planned'; readonly opening: PlannedOpening }
  /** The chain shows so many more base units than the books: zero or less leaves nothing to book. */
  | { readonly kind: 'too_much'; readonly unbooked: bigint }
  | { readonly kind: 'unknown_token' }
  /** Too many transactions of ours are under way on the chain for one comparison. */
  | { readonly kind: 'moving' }
  /** A re-organisation of the chain is not scanned yet. */
  | { readonly kind: 'replaced' }
  /** Nothing is scanned yet, or the node does not have the state of the newest scanned block. */
  | { readonly kind: 'unavailable' }

export async function planOpening(
  { db, node, broadcast, treasury }: ReconcileDeps,
  { role, token, units }: OpeningRequest,
): Promise<OpeningPlan> {
  const { chain } = node
  // Read first: what is posted from here on is seen when the opening is booked.
  const booked: BaseUnits = await readBalance(db, role, { chain, token })
  const compared = await reconcileChain({ db, node, broadcast, treasury })
  if (compared.kind !== 'compared') return compared
  const { block, tokens, differences } = compared
  if (!tokens.includes(token)) return { kind: 'unknown_token' }
  const found = differences.find((one) => one.role === role && one.token === token)
  const unbooked = found === undefined ? 0n : found.onChain - found.inBooks
  const wanted = units ?? unbooked
  if (found === undefined || wanted <= 0n || wanted > unbooked)
    return { kind: 'too_much', unbooked }
  const { onChain, inBooks } = found
  const opening = { chain, token, role, booked, units: baseUnits(wanted), block, onChain, inBooks }
  return { kind: 'planned', opening }
}

class Moved extends Error {}

/** False: the books have moved since it was planned, and nothing is posted. */
export async function bookOpening(
  deps: ActDeps,
  actor: Actor,
  opening: PlannedOpening,
  reason: string,
): Promise<boolean> {
  const { chain, role, token, units, block, onChain, inBooks } = opening
  const id = newId()
  try {
    await perform(
      deps,
      actor,
      {
        act: 'custody.opening',
        subject: { type: 'holding', id: `${chain}:${role}:${token}` },
        facts: { id, units, block, onChain, inBooks, reason },
      },
      async (tx, at) => {
        // Thrown, so that no entry is left.
        if (!(await postOpening(tx, { ...opening, id }, at))) throw new Moved()
      },
    )
    return true
  } catch (error) {
    if (error instanceof Moved) return false
    throw error
  }
}
