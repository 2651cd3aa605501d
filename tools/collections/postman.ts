// A collection in the form of Postman, version 2.1, which other programs import too.
import {
  type Collection,
  type CollectionRequest,
  type Parameter,
  SANDBOX_URL,
} from './collection.ts'

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

export const postmanCollection = (collection: Collection): object => ({
  info: { name: collection.name, description: collection.description, schema: SCHEMA },
  // Once for all: a request without an `auth` of its own inherits it.
  auth: {
    type: 'apikey',
    apikey: [
      { key: 'key', value: collection.keyHeader, type: 'string' },
      { key: 'value', value: '{{apiKey}}', type: 'string' },
      { key: 'in', value: 'header', type: 'string' },
    ],
  },
  variable: [
    { key: 'baseUrl', value: SANDBOX_URL },
    { key: 'apiKey', value: '', type: 'secret' },
    ...collection.variables.map(({ name, value }) => ({ key: name, value })),
  ],
  item: collection.folders.map(({ name, description, requests }) => ({
    ...{ name, description },
    item: requests.map(itemOf),
  })),
})

const itemOf = (request: CollectionRequest): object => ({
  name: request.name,
  request: {
    method: request.method,
    description: request.description,
    header: request.headers.map(pairOf),
    url: {
      raw: `{{baseUrl}}${request.path}${queryText(request.query)}`,
      host: ['{{baseUrl}}'],
      path: request.path.split('/').slice(1),
      ...(request.query.length > 0 && { query: request.query.map(pairOf) }),
      ...(request.params.length > 0 && { variable: request.params.map(pairOf) }),
    },
    ...(request.body !== null && {
      body: { mode: 'raw', raw: request.body, options: { raw: { language: 'json' } } },
    }),
  },
  response: [],
})

const pairOf = ({ name, value, description, isSent }: Parameter): object => ({
  ...{ key: name, value },
  ...(description !== '' && { description }),
  ...(!isSent && { disabled: true }),
})

function queryText(query: readonly Parameter[]): string {
  const sent = query.filter(({ isSent }) => isSent).map(({ name, value }) => `${name}=${value}`)
  return sent.length === 0 ? '' : `?${sent.join('&')}`
}
