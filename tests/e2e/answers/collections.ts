// The collections that the documentation serves, run as an integrator runs them: with a key, with the ids
// of what there is, and with the sub-user switched on. Postman's is run by Postman's own runner. Bruno's
// files are read by Bruno's own parser, and what it makes of them is sent from here: its runner is 275 MB.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { bruToEnvJsonV2, bruToJsonV2, collectionBruToJson, type RequestJson } from '@usebruno/lang'
import { strFromU8, unzipSync } from 'fflate'
import { ROOT } from '../../support/child.ts'

export interface Run {
  readonly baseUrl: string
  /** Of the interface: merchant or partner. */
  readonly name: string
  /** In place of the collection's own. */
  readonly variables: Readonly<Record<string, string>>
  /** Run beside every read, by their names. */
  readonly changes?: readonly string[]
  /** In place of the example. A second purchase under the same one would be a replay of the first. */
  readonly externalId?: string
}

/** The name of each request and the status of its answer. */
export type Outcome = readonly (readonly [name: string, status: number | string])[]

const PLACE = join(ROOT, 'tests/collections')
export const HOW_TO_INSTALL = 'newman is not installed: run npm ci in tests/collections'
export const isNewmanInstalled = existsSync(join(PLACE, 'node_modules/newman'))

const EXAMPLE_EXTERNAL_ID = '"order-1001"'
const BEHALF = 'On-Behalf-Of'

const isRun = ({ changes = [] }: Run, name: string, method: string): boolean =>
  method.toUpperCase() === 'GET' || changes.includes(name)

const withExternalId = ({ externalId }: Run, body: string): string =>
  externalId === undefined ? body : body.replaceAll(EXAMPLE_EXTERNAL_ID, JSON.stringify(externalId))

interface PostmanItem {
  readonly name: string
  readonly request: {
    readonly method: string
    readonly header: readonly { readonly key: string; readonly disabled?: boolean }[]
    readonly body?: { readonly raw: string }
  }
}

interface PostmanCollection {
  readonly item: readonly { readonly item: readonly PostmanItem[] }[]
}

interface Summary {
  readonly run: {
    readonly executions: readonly {
      readonly item: { readonly name: string }
      readonly response?: { readonly code: number }
      readonly requestError?: Error
    }[]
  }
}

interface Newman {
  run(
    options: { readonly collection: object; readonly environment: object },
    done: (error: Error | null, summary: Summary) => void,
  ): void
}

export async function runPostman(run: Run): Promise<Outcome> {
  const newman = createRequire(join(PLACE, 'package.json'))('newman') as Newman
  const response = await fetch(`${run.baseUrl}/docs/postman/${run.name}.json`)
  const collection = (await response.json()) as PostmanCollection
  const item = collection.item
    .flatMap((folder) => folder.item)
    .filter(({ name, request }) => isRun(run, name, request.method))
    .map(({ name, request: { header, body, ...request } }) => ({
      name,
      request: {
        ...request,
        header: header.map((one) => (one.key === BEHALF ? { ...one, disabled: false } : one)),
        ...(body && { body: { ...body, raw: withExternalId(run, body.raw) } }),
      },
    }))
  const values = Object.entries({ ...run.variables, baseUrl: run.baseUrl }).map(([key, value]) => ({
    ...{ key, value, enabled: true },
  }))
  const summary = await new Promise<Summary>((resolve, reject) => {
    newman.run({ collection: { ...collection, item }, environment: { values } }, (error, done) =>
      error === null ? resolve(done) : reject(error),
    )
  })
  return summary.run.executions.map((one) => [
    one.item.name,
    one.response?.code ?? String(one.requestError),
  ])
}

export async function runBruno(run: Run): Promise<Outcome> {
  const { requests, variables, key } = await readBruno(run)
  const filled = (text: string): string =>
    text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => variables.get(name) ?? `no ${name}`)
  const outcome: (readonly [string, number])[] = []
  for (const { meta, http, params = [], headers = [], body } of requests) {
    const paths = params.filter(({ type }) => type === 'path')
    const url = paths.reduce(
      (at, { name, value }) => at.replace(`/:${name}`, `/${encodeURIComponent(filled(value))}`),
      filled(http.url),
    )
    const sent = headers.filter(({ name, enabled }) => enabled || name === BEHALF)
    const response = await fetch(url, {
      method: http.method.toUpperCase(),
      headers: {
        ...Object.fromEntries(sent.map(({ name, value }) => [name, filled(value)])),
        [key.key]: filled(key.value),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: withExternalId(run, filled(body.json)) }),
    })
    await response.arrayBuffer()
    outcome.push([meta.name, response.status])
  }
  return outcome
}

interface BrunoFolder {
  /** In the order in which Bruno lists them. */
  readonly requests: readonly RequestJson[]
  readonly variables: ReadonlyMap<string, string>
  readonly key: { readonly key: string; readonly value: string }
}

async function readBruno(run: Run): Promise<BrunoFolder> {
  const response = await fetch(`${run.baseUrl}/docs/bruno/${run.name}.zip`)
  const zip = unzipSync(new Uint8Array(await response.arrayBuffer()))
  const root = `tradepost-${run.name}/`
  const read = (path: string): string => strFromU8(zip[root + path] ?? new Uint8Array())
  const { auth, vars } = collectionBruToJson(read('collection.bru'))
  const environment = bruToEnvJsonV2(read('environments/Sandbox.bru'))
  if (auth?.apikey === undefined) throw new Error('the collection has no key')
  const requests = Object.keys(zip)
    .map((path) => path.slice(root.length).split('/'))
    .filter(([folder, file]) => folder !== 'environments' && file?.endsWith('.bru') === true)
    .filter(([, file]) => file !== 'folder.bru')
    .map(([folder = '', file]) => ({
      seq: Number(collectionBruToJson(read(`${folder}/folder.bru`)).meta?.seq),
      request: bruToJsonV2(read(`${folder}/${file}`)),
    }))
    .sort(
      (one, other) =>
        one.seq - other.seq || Number(one.request.meta.seq) - Number(other.request.meta.seq),
    )
    .map(({ request }) => request)
  const own = [...(vars?.req ?? []), ...environment.variables].map(
    ({ name, value }) => [name, value] as const,
  )
  const chosen = { ...run.variables, baseUrl: run.baseUrl }
  return {
    requests: requests.filter(({ meta, http }) => isRun(run, meta.name, http.method)),
    variables: new Map([...own, ...Object.entries(chosen)]),
    key: auth.apikey,
  }
}
