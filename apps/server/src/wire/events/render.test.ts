import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { entriesAbout } from './entry.ts'
import { createEventRenderer, type RenderableEvent } from './render.ts'

interface Order {
  readonly id: string
  readonly total: number
}

const orderEvent = entriesAbout<Order>()('order')
const entries = {
  'order.placed': orderEvent(Type.Object({}), { render: ({ total }) => ({ total }) }),
  'order.refunded': orderEvent(Type.Object({ partId: Type.String(), amount: Type.Integer() }), {
    partOf: ({ partId }) => partId,
    render: ({ total }, { amount }) => ({ total, amount }),
  }),
  'order.broken': orderEvent(Type.Object({}), {
    render: () => {
      throw new Error('a bug of this renderer')
    },
  }),
}

const event = (eventType: string, subjectId = 'a', payload = {}): RenderableEvent => ({
  eventType,
  subjectId,
  payload,
})

function given(read: (ids: readonly string[]) => Promise<Order[]> = readOrders) {
  const failed: string[] = []
  const render = createEventRenderer({
    entries,
    readers: { order: read },
    isReadFailure: (error) => error instanceof ConnectionLost,
    onFailed: ({ eventType }) => void failed.push(eventType),
  })
  return { render, failed }
}

class ConnectionLost extends Error {}

const readOrders = async (ids: readonly string[]): Promise<Order[]> =>
  ids.filter((id) => id !== 'absent').map((id, i) => ({ id, total: i + 1 }))

describe('rendering', () => {
  it('reads each subject once, and answers in the order of the events', async () => {
    const reads: (readonly string[])[] = []
    const { render } = given(async (ids) => {
      reads.push(ids)
      return readOrders(ids)
    })
    const rendered = await render([
      event('order.placed', 'b'),
      event('order.refunded', 'a', { partId: 'p', amount: 5 }),
      event('order.placed', 'a'),
    ])
    assert.deepEqual(rendered, [
      { data: { total: 1 } },
      { data: { total: 2, amount: 5 } },
      { data: { total: 2 } },
    ])
    assert.deepEqual(reads, [['b', 'a']])
  })

  for (const [cause, bad, message] of [
    ['of an unknown type', event('order.vanished'), /unknown event type order.vanished/],
    ['named like a property of every object', event('constructor'), /unknown event type/],
    ['whose renderer throws', event('order.broken'), /a bug of this renderer/],
    ['with another payload', event('order.refunded', 'a', { partId: 1 }), /invalid event payload/],
    ['whose subject does not exist', event('order.placed', 'absent'), /order of the event/],
  ] as const) {
    it(`fails alone for an event ${cause}`, async () => {
      const { render, failed } = given()
      const [before, failure, after] = await render([
        event('order.placed'),
        bad,
        event('order.placed'),
      ])
      assert.deepEqual([before, after], [{ data: { total: 1 } }, { data: { total: 1 } }])
      assert.match(String(failure?.error), message)
      assert.deepEqual(failed, [bad.eventType])
    })
  }

  it('fails alone for a subject that cannot be read', async () => {
    const { render } = given(async (ids) => {
      if (ids.includes('bad')) throw new TypeError('a stored state that no code knows')
      return readOrders(ids)
    })
    const [good, bad] = await render([event('order.placed', 'a'), event('order.placed', 'bad')])
    assert.deepEqual(good, { data: { total: 1 } })
    assert.match(String(bad?.error), /a stored state that no code knows/)
  })

  it('fails as a whole when the database is not there: that says nothing of the events', async () => {
    const { render, failed } = given(async () => {
      throw new ConnectionLost()
    })
    await assert.rejects(render([event('order.placed')]), ConnectionLost)
    assert.deepEqual(failed, [])
  })
})

it('the deduplication key names the type and the subject, or the part that the event is about', () => {
  assert.equal(entries['order.placed'].dedupeKey('order.placed', 'a', {}), 'order.placed:a')
  const payload = { partId: 'p', amount: 5 }
  assert.equal(
    entries['order.refunded'].dedupeKey('order.refunded', 'a', payload),
    'order.refunded:p',
  )
})
