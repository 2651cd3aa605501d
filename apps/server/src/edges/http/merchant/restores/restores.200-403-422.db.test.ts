import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { insertLostOrders, type NewLostOrder, noteRestore } from '#buying'
import { sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { startAccountServer } from '../testing/account-server.ts'
import { merchantWithKey, useServer } from '../testing/merchant-server.ts'

const edge = useServer(startAccountServer)

const COPY_OF = new Date('2026-11-20T10:00:00.000Z')
const RESTORED_AT = new Date('2026-11-20T11:00:00.000Z')

beforeEach(() => edge.db.script('delete from buying.lost_order; delete from buying.restore'))

const restored = (history = '1/00000002'): Promise<string> =>
  noteRestore(edge.db, { history, copyOf: COPY_OF, at: RESTORED_AT })

const lost = (tenantId: string, order: Partial<NewLostOrder> = {}): NewLostOrder => {
  const itemId = newId()
  return {
    ...{ itemId, attempt: 1, customId: itemId, market: 'market_a', marketAccount: 'main' },
    ...{ tenantId, accountId: tenantId, userExternalId: null, externalId: 'buy-1' },
    ...{ begunAt: new Date('2026-11-20T10:30:00.000Z'), tradeUrl: 'https://…', listingId: 7n },
    ...{ rawListingId: '7', game: 'cs2', catalogItemId: 'aa', currency: 'USD' },
    description: JSON.stringify({ marketHashName: 'AK-47 | Redline (Field-Tested)' }),
    ...{ sourcingMills: 10_000n, price: 1070n, houseFee: 50n, merchantFee: 20n },
    ...order,
  }
}

const ADOPT = sql(
  'test.mark_adopted',
  'update buying.lost_order set trade_id = $1, adopted_at = now() where external_id = $2',
)

describe('GET /merchant/restores', () => {
  it('200: each restore with what of the merchant it lost, and nothing of another', async () => {
    const [merchant, other] = [await merchantWithKey(edge.db), await merchantWithKey(edge.db)]
    const restoreId = await restored()
    await insertLostOrders(edge.db, restoreId, [
      lost(merchant.id, { accountId: newId(), userExternalId: 'anna' }),
      lost(other.id),
    ])
    const { status, data } = await edge.server.as(merchant.key).get('/merchant/restores')
    assert.equal(status, 200)
    const order = {
      ...{ externalId: 'buy-1', userExternalId: 'anna', at: '2026-11-20T10:30:00.000Z' },
      ...{ marketHashName: 'AK-47 | Redline (Field-Tested)', costCents: 1070 },
    }
    const [copyOf, restoredAt] = [COPY_OF.toISOString(), RESTORED_AT.toISOString()]
    assert.deepEqual(data, { items: [{ copyOf, restoredAt, lost: [order] }], nextCursor: null })
  })

  it('200: a restore that lost nothing of the merchant is listed, and an adopted order is not', async () => {
    const merchant = await merchantWithKey(edge.db)
    const restoreId = await restored()
    await insertLostOrders(edge.db, restoreId, [lost(merchant.id, { externalId: 'adopted' })])
    await edge.db.query(ADOPT, [newId(), 'adopted'])
    const { data } = await edge.server.as(merchant.key).get('/merchant/restores')
    assert.deepEqual(
      data.items.map((item: { lost: unknown[] }) => item.lost),
      [[]],
    )
  })

  it('200: pages go from the newest restore to the oldest', async () => {
    const merchant = await merchantWithKey(edge.db)
    const client = edge.server.as(merchant.key)
    const older = await restored('1/00000002')
    const newer = await restored('1/00000003')
    await insertLostOrders(edge.db, older, [lost(merchant.id, { externalId: 'older' })])
    await insertLostOrders(edge.db, newer, [lost(merchant.id, { externalId: 'newer' })])
    const namesOf = (items: { lost: { externalId: string }[] }[]) =>
      items.flatMap((item) => item.lost.map(({ externalId }) => externalId))
    const first = await client.get('/merchant/restores?limit=1')
    assert.deepEqual(namesOf(first.data.items), ['newer'])
    const second = await client.get(`/merchant/restores?limit=1&cursor=${first.data.nextCursor}`)
    assert.deepEqual([namesOf(second.data.items), second.data.nextCursor], [['older'], null])
  })

  it('403: is not for sub-users', async () => {
    const merchant = await merchantWithKey(edge.db)
    const client = edge.server.as(merchant.key)
    await client.post('/merchant/users', { externalId: 'u1' })
    const { status, key } = await client.get('/merchant/restores', { 'on-behalf-of': 'u1' })
    assert.deepEqual([status, key], [403, 'FORBIDDEN'])
  })

  it('422: a cursor that is none', async () => {
    const merchant = await merchantWithKey(edge.db)
    const { status } = await edge.server.as(merchant.key).get('/merchant/restores?cursor=1')
    assert.equal(status, 422)
  })
})
