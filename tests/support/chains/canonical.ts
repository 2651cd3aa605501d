// What the chains themselves say, read without the service: every movement of tokens and native coin, and
// what became of a transaction.
import { NETWORKS, type NetworkId } from '../../../apps/sandbox/src/chains/networks.ts'

export interface Movement {
  readonly chain: NetworkId
  readonly txHash: string
  readonly token: string
  /** Lower case. */
  readonly from: string
  readonly to: string
  readonly units: bigint
}

export interface Canonical {
  readonly movements: readonly Movement[]
  hashOf(block: bigint): Promise<string | null>
  /** Null: it is in no block. */
  receipt(txHash: string): Promise<{ readonly succeeded: boolean } | null>
  nonceOf(address: string): Promise<number>
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const BATCH = 100

type Rpc = <Result>(method: string, params: readonly unknown[]) => Promise<Result>

interface RpcLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly transactionHash: string
}
interface RpcTransaction {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly value: string
}

/** `url` is that of a node without faults; movements are those from the given block on. */
export async function readCanonical(
  url: string,
  chain: NetworkId,
  fromBlock = 1,
): Promise<Canonical> {
  const rpc = rpcOf(url)
  const head = Number(await rpc<string>('eth_blockNumber', []))
  const symbols = new Map(
    NETWORKS[chain].tokens.map(({ symbol, address }) => [address.toLowerCase(), symbol]),
  )
  const movements: Movement[] = []
  const range = {
    fromBlock: `0x${fromBlock.toString(16)}`,
    toBlock: `0x${head.toString(16)}`,
    topics: [TRANSFER],
  }
  for (const log of await rpc<RpcLog[]>('eth_getLogs', [range])) {
    const token = symbols.get(log.address.toLowerCase())
    if (token === undefined) continue
    const [from, to] = log.topics.slice(1).map((word) => `0x${word.slice(26)}`)
    const txHash = log.transactionHash
    movements.push({
      chain,
      token,
      txHash,
      from: from ?? '',
      to: to ?? '',
      units: BigInt(log.data),
    })
  }
  for (let first = fromBlock; first <= head; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, head - first + 1) }, (_, i) => first + i)
    const blocks = await Promise.all(
      numbers.map((number) =>
        rpc<{ transactions: RpcTransaction[] }>('eth_getBlockByNumber', [
          `0x${number.toString(16)}`,
          true,
        ]),
      ),
    )
    for (const { hash, from, to, value } of blocks.flatMap(({ transactions }) => transactions)) {
      const units = BigInt(value)
      if (units === 0n || to === null) continue
      const receipt = await rpc<{ status: string }>('eth_getTransactionReceipt', [hash])
      if (receipt.status !== '0x1') continue
      movements.push({ chain, token: 'NATIVE', txHash: hash, from, to, units })
    }
  }
  return {
    movements: movements.map((one) => ({
      ...one,
      from: one.from.toLowerCase(),
      to: one.to.toLowerCase(),
    })),
    hashOf: async (block) =>
      (
        await rpc<{ hash: string } | null>('eth_getBlockByNumber', [
          `0x${block.toString(16)}`,
          false,
        ])
      )?.hash ?? null,
    receipt: async (txHash) => {
      const found = await rpc<{ status: string } | null>('eth_getTransactionReceipt', [txHash])
      return found && { succeeded: found.status === '0x1' }
    },
    nonceOf: async (address) =>
      Number(await rpc<string>('eth_getTransactionCount', [address, 'latest'])),
  }
}

const rpcOf =
  (url: string): Rpc =>
  async (method, params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(60_000),
    })
    const answer = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result as never
  }
