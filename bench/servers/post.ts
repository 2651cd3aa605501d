// The peer of webhook delivery: the same signed bodies from memory, posted by a loop over an undici pool.
import { Pool } from 'undici'
import { openDb, sql } from '../../apps/server/src/infra/database/db.ts'
import {
  type SentRequest,
  unpackRequest,
} from '../../apps/server/src/modules/events/webhooks/request.ts'
import { answerWith } from '../ipc.ts'

const LIST_POSTS = sql(
  'bench_list_posts',
  'select request from webhooks.attempt order by id limit $1',
)
/** As many posts under way as our deliverer has to one endpoint; the pool was quickest with half as many. */
const CONNECTIONS = 64
const IN_FLIGHT = 128

let posts: SentRequest[] = []
let pool: Pool | null = null

const methods = {
  load: async (from: {
    databaseUrl: string
    receiverUrl: string
    count: number
  }): Promise<number> => {
    const db = openDb({ url: from.databaseUrl, poolSize: 1 })
    const rows = await db.query<{ request: Buffer }>(LIST_POSTS, [from.count])
    posts = rows.map(({ request }) => unpackRequest(request))
    await db.close()
    pool = new Pool(from.receiverUrl, { connections: CONNECTIONS, pipelining: 1 })
    return posts.length
  },
  postAll: async (): Promise<void> => {
    let cursor = 0
    const worker = async (): Promise<void> => {
      for (let post = posts[cursor++]; post; post = posts[cursor++]) {
        const { headers, body } = post
        const answer = await pool?.request({ path: '/hooks', method: 'POST', headers, body })
        if (answer?.statusCode !== 200) throw new Error('a post was not taken')
        await answer.body.text()
      }
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
  },
}
export type PostMethods = typeof methods

answerWith(methods)
