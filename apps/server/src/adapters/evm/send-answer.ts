// What nodes answer to a raw transaction. The texts are those of geth and of what derives from it (bsc,
// the OP stack, Nitro), erigon, nethermind, reth, besu and anvil, as their sources have them. After a text
// that is not in the table the outcome is unknown.
import { cut } from '#kernel/text'
import type { SendAnswer } from '#ports/outbound'
import type { RpcError, RpcReply } from './rpc-address.ts'

type Kind = Exclude<SendAnswer['kind'], 'unknown' | 'accepted'>

/** The first row that matches counts: `nonce too low` also occurs within longer texts. */
const TEXTS: readonly (readonly [RegExp, Kind])[] = [
  // geth, reth, erigon: already known; anvil: transaction already imported; nethermind: AlreadyKnown; erigon:
  // existing tx with same hash; besu, older geth: known transaction (and not: unknown transaction type)
  [
    /already (known|imported|exists)|AlreadyKnown|\bknown transaction|existing tx with same hash/i,
    'already_known',
  ],
  // All of them; nethermind also: OldNonce
  [/nonce (is )?too low|OldNonce|invalid nonce.*lower/i, 'nonce_too_low'],
  // geth, anvil, reth, besu, erigon: replacement transaction underpriced; nethermind: ReplacementNotAllowed,
  // OwnNonceAlreadyUsed; erigon: could not replace existing tx
  [
    /replacement transaction underpriced|ReplacementNotAllowed|OwnNonceAlreadyUsed|could not replace existing/i,
    'underpriced',
  ],
  // geth: max fee per gas less than block base fee, transaction underpriced (the floor of the node); erigon:
  // underpriced, fee too low; nethermind: FeeTooLow, FeeTooLowToCompete; besu, bsc: gas price below …
  [
    /less than block base fee|\bunderpriced|FeeTooLow|fee too low|gas price.*(below|less|too low)|tip cap.*(minimum|low)/i,
    'fee_too_low',
  ],
  // geth, reth, anvil, erigon: insufficient funds …; nethermind: InsufficientFunds; besu: upfront cost
  // exceeds …; Nitro: not enough funds for gas
  [
    /insufficient (funds|balance)|InsufficientFunds|up-?front cost .*exceeds|not enough funds/i,
    'insufficient_funds',
  ],
]

export function sendAnswerOf(error: RpcError): SendAnswer {
  const row = TEXTS.find(([pattern]) => pattern.test(error.message))
  if (row !== undefined) return { kind: row[1] }
  return { kind: 'unknown', detail: `error ${error.code}: ${cut(error.message, 200)}` }
}

/** What one node said; a hash that is not the transaction's own is no acceptance. */
function answerOf(reply: RpcReply | null, hash: string): SendAnswer {
  if (reply === null) return { kind: 'unknown', detail: 'a node did not answer' }
  if (reply.kind === 'error') return sendAnswerOf(reply.error)
  if (typeof reply.value === 'string' && reply.value.toLowerCase() === hash) {
    return { kind: 'accepted' }
  }
  return { kind: 'unknown', detail: 'a node answered with another hash' }
}

/** The node has the transaction: no other has to be waited for. */
export function isTaken(reply: RpcReply, hash: string): boolean {
  const { kind } = answerOf(reply, hash)
  return kind === 'accepted' || kind === 'already_known'
}

/** First those that say that a node has it, then the one that says that it may have been mined. */
const STRONGEST = ['accepted', 'already_known', 'nonce_too_low'] as const

/**
 * The answers of several nodes to the same bytes, as one. A refusal counts only when no node is left whose
 * answer is unknown: that one may have taken the transaction.
 */
export function mergeSendAnswers(replies: readonly (RpcReply | null)[], hash: string): SendAnswer {
  const answers = replies.map((reply) => answerOf(reply, hash))
  for (const kind of STRONGEST) if (answers.some((answer) => answer.kind === kind)) return { kind }
  const unknown = answers.find(({ kind }) => kind === 'unknown')
  return unknown ?? answers[0] ?? { kind: 'unknown', detail: 'there is no node' }
}
