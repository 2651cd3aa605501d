// What the error answers of the clients in use stand for. JSON-RPC has no codes for most of these, so that
// the texts decide; each pattern names the clients that send it. A text that is not known has no meaning:
// the call goes on to the next address.
import type { RpcError } from './rpc-address.ts'

const METHOD_MISSING_CODES = [-32601, -32004]

export const isMethodMissing = ({ code, message }: RpcError): boolean =>
  METHOD_MISSING_CODES.includes(code) ||
  // Providers that sell traces apart from other calls.
  /method .*(not (found|supported|available|allowed|exist)|does not exist|is disabled)|unsupported method/i.test(
    message,
  )

/** The node does not know the block, or not any more. */
export const isUnknownBlock = ({ message }: RpcError): boolean =>
  // geth, erigon: unknown block, header not found, block not found; anvil: Resource not found;
  // nethermind: Block ... could not be found; reth: block not found: hash 0x...
  /unknown block|header not found|block .*not (be )?found|^resource not found$/i.test(message)

/** The node knows the block, but keeps the state of newer ones only. */
export const isStateGone = ({ message }: RpcError): boolean =>
  // geth: missing trie node, state ... is not available; erigon: state/history pruned; anvil:
  // BlockOutOfRangeError, Required data unavailable; nethermind: No state available
  /missing trie node|state .*(not |un)available|no state available|pruned|BlockOutOfRangeError|required data unavailable/i.test(
    message,
  )

/** The call was executed and fails: code 3 of geth, anvil, reth, erigon; texts of the others. */
export const isRevert = ({ code, message }: RpcError): boolean =>
  code === 3 ||
  /execution reverted|^VM execution error|always failing transaction|invalid opcode|out of gas/i.test(
    message,
  )

/** besu: (transaction) up-front cost … exceeds (transaction sender) account balance …; geth: the others. */
export const isInsufficientFunds = ({ message }: RpcError): boolean =>
  /insufficient (funds|balance)|InsufficientFunds|gas required exceeds allowance|up-?front cost .*exceeds/i.test(
    message,
  )
