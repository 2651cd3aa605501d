import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, redactText } from './log.ts'

function capture(): { lines: string[]; log: ReturnType<typeof createLog> } {
  const lines: string[] = []
  const log = createLog({
    level: 'info',
    base: { role: 'api' },
    destination: { write: (line) => void lines.push(line) },
  })
  return { lines, log }
}

test('a line is JSON with its level, its time, its process and its fields', () => {
  const { lines, log } = capture()
  log.info({ requestId: 'r-1' }, 'answered')
  const line = JSON.parse(lines[0] ?? '')
  assert.equal(line.level, 'info')
  assert.equal(line.role, 'api')
  assert.equal(line.requestId, 'r-1')
  assert.equal(line.msg, 'answered')
  assert.match(line.time, /^\d{4}-.*Z$/)
})

test('no secret reaches a line, whatever road it takes', () => {
  const { lines, log } = capture()
  const ownKey = `tp_live_${'a'.repeat(43)}`
  log.info({ apiKey: 'hunter2', headers: { 'api-key': 'hunter2', authorization: 'hunter2' } }, 'x')
  log.info({ request: { headers: { cookie: 'hunter2', 'x-api-key': 'hunter2' } } }, 'x')
  log.info({ url: 'https://x/y?token=hunter2&partner=1&key=hunter2&api=hunter2' }, 'x')
  log.info({ note: ownKey, secret: 'hunter2' }, `the key ${ownKey}`)
  log.error({ err: new Error('connect postgres://me:hunter2@db/x failed, api_key=hunter2') }, 'x')
  log.info(
    { calls: [{ token: 'hunter2' }], cause: Object.assign(new Error('x'), { key: 'hunter2' }) },
    'x',
  )
  log.child({ password: 'hunter2' }).info({}, 'x')
  log.info({}, `whsec_${'b'.repeat(43)}`)
  const text = lines.join('')
  assert.doesNotMatch(text, /hunter2|aaaa|bbbb/)
  assert.match(text, /partner=1/)
  for (const line of lines) JSON.parse(line)
})

test('ordinary words stay', () => {
  const text = 'tokens=3 is fine? monkey=1 https://x/y?page=2&sort=key'
  assert.equal(redactText('https://x/y?page=2&sort=key'), 'https://x/y?page=2&sort=key')
  assert.match(redactText(text), /page=2/)
})

test('an error in a line has named fields: what a library hangs on it stays out', () => {
  const { lines, log } = capture()
  const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
  const error = Object.assign(new Error('lost', { cause }), { client: { secretKey: 7 } })
  log.error({ err: error }, 'a connection was lost')
  const { err } = JSON.parse(lines[0] ?? '{}')
  assert.equal(err.message, 'lost')
  assert.deepEqual([err.cause.message, err.cause.code], ['reset', 'ECONNRESET'])
  assert.equal('client' in err, false)
})

test('a line has the name of its event: its own, its alarm’s, or that of its sentence', () => {
  const { lines, log } = capture()
  log.info({ event: 'own_name', alarm: 'an_alarm' }, 'a sentence')
  log.info({ alarm: 'an_alarm' }, 'a sentence')
  log.info({ alarm: true }, 'the market’s account is closed: nothing is for sale')
  log.info({ n: 1 }, 'Ready')
  log.info('of a library')
  const events = lines.map((line) => JSON.parse(line).event)
  assert.deepEqual(events, [
    ...['own_name', 'an_alarm', 'markets_account_is_closed', 'ready', undefined],
  ])
})

test('a line carries what is said of its moment', () => {
  const lines: string[] = []
  let traceId = 'one'
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLog({ level: 'info', ofMoment: () => ({ traceId }), destination })
  log.info({}, 'first')
  traceId = 'two'
  log.info({}, 'second')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).traceId),
    ['one', 'two'],
  )
})
