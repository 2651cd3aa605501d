// Reads of several blocks that are asked for at the same moment, as a scanner does that is behind: one
// request in place of one for each.
import { batched } from '#infra/database/batch'
import { NodeUnavailable, type Request, type RpcPool } from './rpc-pool.ts'

/** A block with all its transactions is large: more in one answer would reach the limits of providers. */
const MOST_TOGETHER = 4

export type ReadTogether = <Value>(request: Request<Value>) => Promise<Value>

/** What no node answers together is asked for one by one: only that is refused which fails alone. */
export function createReadTogether(pool: RpcPool): ReadTogether {
  const read = batched<Request<unknown>, unknown>(async (requests) => {
    try {
      return await pool.readAll(requests)
    } catch (error) {
      if (!(error instanceof NodeUnavailable) || requests.length === 1) throw error
      return Promise.all(requests.map((request) => pool.read(request)))
    }
  }, MOST_TOGETHER)
  return <Value>(request: Request<Value>) => read(request) as Promise<Value>
}
