// A collection as a folder of Bruno's files, one a request, written by Bruno's own package.
import { envJsonToBruV2, jsonToBruV2, jsonToCollectionBru } from '@usebruno/lang'
import {
  type Collection,
  type CollectionRequest,
  type Folder,
  type Parameter,
  SANDBOX_URL,
} from './collection.ts'

/** Path below the folder of the collection to content. */
export function brunoFiles(collection: Collection): ReadonlyMap<string, string> {
  const { name, description, keyHeader, variables } = collection
  const files = new Map<string, string>()
  const about = { version: '1', name, type: 'collection', ignore: [] }
  files.set('bruno.json', `${JSON.stringify(about, null, 2)}\n`)
  files.set(
    'collection.bru',
    jsonToCollectionBru({
      auth: {
        mode: 'apikey',
        apikey: { key: keyHeader, value: '{{apiKey}}', placement: 'header' },
      },
      vars: {
        req: variables.map((one) => ({ name: one.name, value: one.value, enabled: true })),
      },
      docs: description,
    }),
  )
  // Bruno keeps a secret on the machine of its user and out of the files.
  files.set(
    'environments/Sandbox.bru',
    envJsonToBruV2({
      variables: [
        { name: 'baseUrl', value: SANDBOX_URL, enabled: true, secret: false },
        { name: 'apiKey', value: '', enabled: true, secret: true },
      ],
    }),
  )
  for (const [i, folder] of collection.folders.entries()) addFolder(files, folder, i + 1)
  return files
}

function addFolder(
  files: Map<string, string>,
  { name, description, requests }: Folder,
  seq: number,
): void {
  files.set(
    `${name}/folder.bru`,
    jsonToCollectionBru({ meta: { name, seq }, auth: { mode: 'inherit' }, docs: description }),
  )
  requests.forEach((request, i) => {
    files.set(`${name}/${request.id}.bru`, requestFile(request, i + 1))
  })
}

function requestFile(request: CollectionRequest, seq: number): string {
  const { name, method, path, params, query, headers, body } = request
  const sent = query.filter(({ isSent }) => isSent).map((one) => `${one.name}=${one.value}`)
  return jsonToBruV2({
    meta: { name, type: 'http', seq },
    http: {
      method: method.toLowerCase(),
      url: `{{baseUrl}}${path}${sent.length === 0 ? '' : `?${sent.join('&')}`}`,
      body: body === null ? 'none' : 'json',
      auth: 'inherit',
    },
    params: [
      ...query.map((one) => ({ ...pairOf(one), type: 'query' as const })),
      ...params.map((one) => ({ ...pairOf(one), type: 'path' as const })),
    ],
    headers: headers.map(pairOf),
    ...(body !== null && { body: { json: body } }),
    docs: docsOf(request),
  })
}

const pairOf = ({ name, value, isSent }: Parameter) => ({ name, value, enabled: isSent })

/** The files have a place for what a parameter means only in Bruno's newest versions. */
function docsOf({ description, params, query, headers }: CollectionRequest): string {
  const described = [...params, ...query, ...headers].filter((one) => one.description !== '')
  const lines = described.map((one) => `- \`${one.name}\`: ${one.description}`)
  return [description, ...(lines.length === 0 ? [] : [lines.join('\n')])].join('\n\n')
}
