// What nodes answer to a raw transaction. The texts are those of geth and of what derives from it (bsc,
// the OP stack, Nitro), erigon, nethermind, reth and anvil. After a text that is not in the table the
// outcome is unknown.
import type { SendAnswer } from '#ports/outbound'
import type { RpcError, RpcReply } from './rpc-address.ts'

type Kind = Exclude<SendAnswer['kind'], 'unknown' | 'accepted'>

/** The first row that matches counts: `nonce too low` also occurs within longer texts. */
const TEXTS: readonly (readonly [RegExp, Kind])[] = [
  // geth, reth: already known; anvil: transaction already imported; nethermind: AlreadyKnown;
  // erigon: ALREADY_EXISTS: already known; some proxies: known transaction
  [/already (known|imported|exists)|AlreadyKnown|known transaction/i, 'already_known'],
  [/nonce (is )?too low|OldNonce|invalid nonce.*lower/i, 'nonce_too_low'],
  // geth, anvil, reth: replacement transaction underpriced; nethermind: ReplacementNotAllowed,
  // and `fee too low to compete`; erigon: could not replace existing tx
  [
    /replacement transaction underpriced|ReplacementNotAllowed|could not replace existing/i,
    'underpriced',
  ],
  // geth: max fee per gas less than block base fee, transaction underpriced (the floor of the node);
  // nethermind: FeeTooLow; OP stack: transaction underpriced; bsc: gas price below minimum
  [
    /less than block base fee|transaction underpriced|FeeTooLow|fee too low|gas price.*(below|less|too low)|tip cap.*(minimum|low)/i,
    'fee_too_low',
  ],
  // geth, reth, anvil, erigon; nethermind: InsufficientFunds
  [/insufficient (funds|balance)|InsufficientFunds/i, 'insufficient_funds'],
]

export function sendAnswerOf(error: RpcError): SendAnswer {
  const row = TEXTS.find(([pattern]) => pattern.test(error.message))
  if (row !== undefined) return { kind: row[1] }
  return { kind: 'unknown', detail: `error ${error.code}: ${error.message.slice(0, 200)}` }
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
