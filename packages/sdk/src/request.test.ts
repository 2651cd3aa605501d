import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type OperationId, ROUTES } from './generated/operations.ts'
import { type AnyInput, wireRequest } from './request.ts'

const requestOf = (
  operation: OperationId,
  input: AnyInput,
  more: { behalf?: string; idempotencyKey?: string } = {},
) =>
  wireRequest({
    route: ROUTES[operation],
    keyHeader: 'api-key',
    input,
    baseUrl: 'https://api.example.com/base',
    apiKey: 'key',
    userAgent: 'test',
    behalf: more.behalf,
    idempotencyKey: more.idempotencyKey,
  })

const urlOf = (operation: OperationId, input: AnyInput): string => requestOf(operation, input).url

it('a reference is one segment of the path, whatever is in it', () => {
  const at = (id: string): string => urlOf('getSubUser', { params: { id } })
  assert.equal(at('anna'), 'https://api.example.com/base/merchant/users/anna')
  assert.equal(at('a/b?c#d %'), 'https://api.example.com/base/merchant/users/a%2Fb%3Fc%23d%20%25')
  assert.equal(at('$&$1'), 'https://api.example.com/base/merchant/users/%24%26%241')
  assert.equal(
    at('žluťoučký'),
    `https://api.example.com/base/merchant/users/${encodeURIComponent('žluťoučký')}`,
  )
})

it('a reference that would lead to another operation is refused', () => {
  for (const id of ['', '.', '..', undefined as unknown as string]) {
    assert.throws(() => urlOf('suspendSubUser', { params: { id } }), TypeError)
  }
  assert.throws(() => urlOf('getSubUser', { params: { id: '\ud800' } }), URIError)
})

it('a query leaves out what is undefined and joins lists with commas', () => {
  const query = {
    q: 'ak 47',
    exterior: ['Field-Tested', 'Minimal Wear'],
    inStock: false,
    page: undefined,
  }
  assert.equal(
    urlOf('searchMarket', { query }),
    'https://api.example.com/base/market/search?q=ak%2047&exterior=Field-Tested%2CMinimal%20Wear&inStock=false',
  )
  assert.equal(urlOf('searchMarket', { query: {} }), 'https://api.example.com/base/market/search')
  assert.throws(() => urlOf('searchMarket', { query: { weapon: ['a,b'] } }), /comma/)
})

it('a header carries non-ASCII text as UTF-8, one character for each byte', () => {
  const { headers } = requestOf('getWallet', {}, { behalf: 'žofie' })
  const bytes = Buffer.from(headers['on-behalf-of'] ?? '', 'latin1')
  assert.equal(bytes.toString('utf8'), 'žofie')
})

it('a header that would arrive as another name is refused', () => {
  for (const behalf of ['', ' anna', 'anna ', 'an\nna', 'anna\u0000', '\ud800', '\u00a0anna']) {
    assert.throws(() => requestOf('getWallet', {}, { behalf }), TypeError, JSON.stringify(behalf))
  }
  assert.throws(() => requestOf('fundSubUser', { params: { id: 'a' } }, { idempotencyKey: '' }))
})

it('only a body has a content type', () => {
  assert.equal(requestOf('getWallet', {}).headers['content-type'], undefined)
  const { headers, body } = requestOf('createSubUser', { body: { externalId: 'anna' } })
  assert.equal(headers['content-type'], 'application/json')
  assert.equal(body, '{"externalId":"anna"}')
  assert.equal(requestOf('suspendSubUser', { params: { id: 'anna' } }).body, undefined)
})
