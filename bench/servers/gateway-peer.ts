// The peer of deposits by gateway: a bare Fastify route that makes the same two calls to the provider,
// signed, and posts what was paid by one SQL function. It keeps no deposit, and an answer that is lost stays
// unknown.
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { Pool } from 'undici'
import { readGatewaySettings } from '../../apps/sandbox/src/gateway/settings.ts'
import { sign } from '../../apps/sandbox/src/gateway/signature.ts'
import { type Db, openDb, sql } from '../../apps/server/src/infra/database/db.ts'
import { answerWith } from '../ipc.ts'

const { clientId, secret } = readGatewaySettings({})
const app = fastify({ logger: false })
let db: Db | null = null
let gateway: Pool | null = null

const POST = sql(
  'bench_post_deposit',
  `select (ledger.post('deposit', null, $1::uuid, $2, $3::bytea, now(), array['USD'::ledger.currency],
     array[ledger.house('clearing_gateway', 'USD')], array[ledger.account_of($1::uuid, 'spot')],
     array[$4::bigint])).journal_id`,
)

async function call<T>(path: string, sent?: object): Promise<T> {
  if (gateway === null) throw new Error('a peer without a provider')
  const body = sent === undefined ? '' : JSON.stringify(sent)
  const timestamp = String(Date.now())
  const nonce = randomBytes(12).toString('hex')
  const answer = await gateway.request({
    path: `/gateway/v1/pay/address/${path}`,
    method: sent === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gatepay-certificate-clientid': clientId,
      'x-gatepay-timestamp': timestamp,
      'x-gatepay-nonce': nonce,
      'x-gatepay-signature': sign(secret, { timestamp, nonce, body }),
    },
    ...(sent === undefined ? {} : { body }),
  })
  const { status, data } = (await answer.body.json()) as { status: string; data: T }
  if (status !== 'SUCCESS') throw new Error(`${path} was refused`)
  return data
}

interface Created {
  readonly prepayId: string
  readonly chain: { readonly address: string }
}
interface Found {
  readonly status: string
  readonly transaction_info: { readonly done_amount_total: string }
}

const RESPONSE = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    prepayId: { type: 'string' },
    address: { type: 'string' },
    amount: { type: 'number' },
  },
}

app.post<{ Body: { readonly accountId: string; readonly amount: string } }>(
  '/deposits',
  { schema: { response: { 200: RESPONSE } } },
  async ({ body: { accountId, amount } }) => {
    const id = randomBytes(16).toString('hex')
    const { prepayId, chain } = await call<Created>('create', {
      ...{ merchantTradeNo: id, currency: 'USDT', orderAmount: amount, merchantUserId: 1 },
      ...{ env: { terminalType: 'WEB' }, goods: { goodsName: 'Wallet deposit' } },
      ...{ orderExpireTime: Date.now() + 1_200_000, chain: 'TRX', fullCurrType: 'USDT_TRX' },
    })
    const found = await call<Found>(`query?merchantTradeNo=${id}`)
    if (found.status !== 'PAID') throw new Error('the order is not paid')
    const paid = Math.round(Number(found.transaction_info.done_amount_total) * 100)
    await db?.query(POST, [accountId, `peer:${id}`, Buffer.from(id), paid])
    return { id, prepayId, address: chain.address, amount: paid / 100 }
  },
)

const methods = {
  listen: async (from: {
    readonly databaseUrl: string
    readonly gatewayUrl: string
    readonly atOnce: number
  }): Promise<number> => {
    db = openDb({ url: from.databaseUrl, poolSize: from.atOnce })
    gateway = new Pool(from.gatewayUrl, { connections: from.atOnce })
    await app.listen({ host: '127.0.0.1', port: 0 })
    return (app.server.address() as AddressInfo).port
  },
  close: async (): Promise<void> => {
    await app.close()
    await Promise.all([gateway?.close(), db?.close()])
  },
}
export type GatewayPeerMethods = typeof methods

answerWith(methods)
