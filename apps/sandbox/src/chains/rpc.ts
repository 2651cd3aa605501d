/** What a node answered with instead of a result. */
class RpcFault extends Error {
  readonly code: number

  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message}`)
    this.code = code
  }
}

export type Rpc = <Result = unknown>(method: string, params?: readonly unknown[]) => Promise<Result>

const DEADLINE_MS = 30_000

/** JSON-RPC calls to one address, each with a deadline. */
export function rpcOf(url: string, deadlineMs = DEADLINE_MS): Rpc {
  let id = 0
  return async <Result>(method: string, params: readonly unknown[] = []): Promise<Result> => {
    id += 1
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      signal: AbortSignal.timeout(deadlineMs),
    })
    const answer = (await response.json()) as {
      result?: Result
      error?: { code: number; message: string }
    }
    if (answer.error) throw new RpcFault(method, answer.error.code, answer.error.message)
    return answer.result as Result
  }
}

/** The deadline of a call passed without an answer. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError'

export const hex = (value: bigint | number): `0x${string}` => `0x${value.toString(16)}`
