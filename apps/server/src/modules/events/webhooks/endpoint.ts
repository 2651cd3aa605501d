// What a tenant (through the dashboard or the command line) does with its endpoints.

import type { Queryable, Tx } from '#infra/database/db'
import { BusyError } from '#infra/database/tenant-shares'
import type { NameResolver } from '#infra/http/name-resolver'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import { newId } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import {
  type AddressRules,
  hostOf,
  isAllowedAddress,
  problemText,
  type UrlProblem,
  urlProblem,
} from './address.ts'
import { attempt, sealContext } from './attempt.ts'
import { insertAttempts } from './attempts.ts'
import type { DeliveryDeps } from './deliver.ts'
import type { DialectName, SecretBox } from './ports.ts'
import { isSuccess } from './schedule.ts'
import { newSecret } from './secret.ts'
import {
  type Delivery,
  findDelivery,
  insertTest,
  markDelivered,
  nextNumber,
  recoverDeliveries,
} from './store/deliveries.ts'
import {
  type Endpoint,
  type EndpointFields,
  type EndpointName,
  findEndpoint,
  findEndpointOf,
  insertEndpoint,
  listEndpoints,
  readEndpoints,
  readEventNames,
  rotateEndpointSecret,
  saveEndpoint,
  updateEndpoint,
} from './store/endpoints.ts'

export interface EndpointDeps extends AddressRules {
  readonly db: Queryable
  readonly clock: Clock
  readonly secrets: SecretBox
}

/**
 * Sets the address of the oldest endpoint and enables it. A new endpoint gets a secret, which is shown this
 * once; a known one keeps its own (`secret: null`). Refuses VALIDATION_FAILED for an address that is not
 * allowed.
 */
export async function setEndpoint(
  { db, clock, secrets, allowPrivate }: EndpointDeps,
  {
    tenantId,
    parentId = null,
    url,
    dialect = 'merchant',
    secret = newSecret(),
  }: {
    tenantId: string
    /** The partner of a child. */
    parentId?: string | null
    url: string
    dialect?: DialectName
    secret?: string
  },
): Promise<{ endpoint: Endpoint; secret: string | null }> {
  const allowed = allowedUrl(url, { allowPrivate })
  const known = await findEndpoint(db, tenantId)
  if (known) {
    const endpoint = await updateEndpoint(db, {
      ...known,
      ...{ url: allowed, status: 'enabled', disabledReason: null, at: clock.now() },
    })
    return { endpoint, secret: null }
  }
  const endpoint = await saveEndpoint(db, {
    tenantId,
    url: allowed,
    secretSealed: secrets.seal(secret, sealContext({ tenantId })),
    dialect,
    parentId,
    at: clock.now(),
  })
  return { endpoint, secret }
}

/** How many endpoints an account may have. */
const MAX_ENDPOINTS = 10

export interface NewEndpoint
  extends Pick<Endpoint, 'tenantId' | 'parentId' | 'dialect'>,
    EndpointFields {}

/**
 * Another endpoint of an account, with a secret that is shown this once. It gets the events that are
 * dispatched from now on. The caller holds a lock on the account. Refuses VALIDATION_FAILED, and
 * WEBHOOK_LIMIT_REACHED beyond ten.
 */
export async function createEndpoint(
  { db, clock, secrets, allowPrivate }: Omit<EndpointDeps, 'db'> & { readonly db: Tx },
  endpoint: NewEndpoint,
): Promise<{ readonly endpoint: Endpoint; readonly secret: string }> {
  const url = allowedUrl(endpoint.url, { allowPrivate })
  await refuseFields(db, endpoint)
  const { tenantId, signature } = endpoint
  const count = (await listEndpoints(db, tenantId)).length
  if (count >= MAX_ENDPOINTS) refuse('WEBHOOK_LIMIT_REACHED')
  const secret = newSecret(signature)
  const secretSealed = secrets.seal(secret, sealContext({ tenantId }))
  const at = clock.now()
  return { endpoint: await insertEndpoint(db, { ...endpoint, url, secretSealed, at }), secret }
}

export type EndpointChanges = Partial<
  Pick<Endpoint, 'url' | 'description' | 'events' | 'signature' | 'status'>
>

/** Why an endpoint is disabled that its account has disabled. */
export const DISABLED_BY_OWNER = 'it was disabled by its account'

/**
 * Changes the fields that are given. Its secret stays, also under another form of signature; another address,
 * or being enabled, makes failures of before count for nothing. Refuses VALIDATION_FAILED.
 */
export async function changeEndpoint(
  { db, clock, allowPrivate }: Pick<EndpointDeps, 'clock' | 'allowPrivate'> & { readonly db: Tx },
  was: Endpoint,
  changes: EndpointChanges & Partial<Pick<Endpoint, 'mayApprove'>>,
): Promise<Endpoint> {
  const { status = null, url, ...fields } = changes
  const changed = { ...was, ...fields }
  await refuseFields(db, changed)
  return updateEndpoint(db, {
    ...changed,
    ...(url !== undefined && { url: allowedUrl(url, { allowPrivate }) }),
    status,
    disabledReason: status === 'disabled' ? DISABLED_BY_OWNER : null,
    at: clock.now(),
  })
}

/** Refuses VALIDATION_FAILED for what an endpoint of its interface cannot have. */
async function refuseFields(
  db: Queryable,
  { dialect, events, signature }: Pick<Endpoint, 'dialect' | 'events' | 'signature'>,
): Promise<void> {
  const refuseAt = (pointer: string, rule: string, message: string): never =>
    refuse('VALIDATION_FAILED', { errors: [{ in: 'body', pointer, rule, message }] })
  if (dialect === 'partner' && signature !== 'service') {
    refuseAt('/signature', 'dialect', 'Events of the partner interface have one form of signature.')
  }
  if (events === null) return
  const ofPartner = new Set(await readEventNames(db, 'partner'))
  const wrong = events.findIndex((type) => ofPartner.has(type) !== (dialect === 'partner'))
  if (wrong !== -1) refuseAt(`/events/${wrong}`, 'dialect', 'This account gets no such event.')
}

/**
 * The address as it is stored, called and shown: ASCII, without the spaces, tabs and line breaks that are
 * ignored in a URL. Refuses VALIDATION_FAILED for one that is not allowed.
 */
export function allowedUrl(url: string, rules: AddressRules): string {
  const problem = urlProblem(url, rules)
  return problem === null ? new URL(url).href : refuseUrl(problem, rules)
}

export interface HostRules extends AddressRules {
  readonly names: Pick<NameResolver, 'resolve'>
}

/**
 * Before a URL is saved, and outside any transaction: refuses VALIDATION_FAILED for a name that stands for an
 * address that is not allowed now. A name without an address, or without an answer, passes: the address is
 * checked again at every connection. What `allowedUrl` refuses is left to it.
 */
export async function refuseHost(rules: HostRules, url: string): Promise<void> {
  if (urlProblem(url, rules) !== null) return
  const addresses = await rules.names.resolve(hostOf(new URL(url))).catch(() => [])
  if (!addresses.every(({ address }) => isAllowedAddress(address, rules))) refuseUrl('host', rules)
}

const refuseUrl = (problem: UrlProblem, rules: AddressRules): never =>
  refuse('VALIDATION_FAILED', {
    errors: [
      {
        ...{ in: 'body', pointer: '/url', rule: 'webhookUrl' },
        message: `The URL is not allowed: ${problemText(problem, rules)}.`,
      },
    ],
  })

const HOUR_MS = 3_600_000
export const OVERLAP_HOURS = [0, 1, 24, 72] as const
export type OverlapHours = (typeof OVERLAP_HOURS)[number]

/** Until when a secret that is replaced signs beside the new one; null: not at all. */
export const overlapUntil = (at: Date, overlapHours: OverlapHours): Date | null =>
  overlapHours === 0 ? null : new Date(at.getTime() + overlapHours * HOUR_MS)

/** A new secret; the previous one signs beside it for the chosen overlap. */
export async function rotateSecret(
  { db, clock, secrets }: EndpointDeps,
  { overlapHours, ...name }: EndpointName & { readonly overlapHours: OverlapHours },
): Promise<string> {
  const endpoint = (await findEndpointOf(db, name)) ?? refuse('NOT_FOUND')
  const secret = newSecret(endpoint.signature)
  const at = clock.now()
  await rotateEndpointSecret(db, {
    id: endpoint.id,
    secretSealed: secrets.seal(secret, sealContext(endpoint)),
    previousUntil: overlapUntil(at, overlapHours),
    at,
  })
  return secret
}

export interface SendResult {
  readonly delivered: boolean
  readonly status: number | null
  readonly error: string | null
}

export type ResendDeps = Pick<
  DeliveryDeps,
  'db' | 'clock' | 'sender' | 'secrets' | 'dialects' | 'render'
>

/**
 * Sends one delivery again, now, under its webhook-id. A failure starts no schedule and counts for nothing
 * in the endpoint's health; a success ends the delivery.
 */
export async function resend(
  deps: ResendDeps,
  { tenantId, deliveryId }: { tenantId: string; deliveryId: string },
): Promise<SendResult> {
  const delivery = await findDelivery(deps.db, deliveryId)
  if (delivery?.tenantId !== tenantId) return refuse('NOT_FOUND')
  const endpoint = (await readEndpoints(deps.db, [delivery.endpointId])).get(delivery.endpointId)
  if (!endpoint || endpoint.removedAt !== null) return refuse('NOT_FOUND')
  const rendered = assertDefined((await deps.render([delivery]))[0], 'rendered data of a delivery')
  if (rendered.error) throw rendered.error
  const { answer, record } = await attempt(deps, delivery, endpoint, rendered.data, {
    manual: true,
  })
  await deps.db.transaction(async (tx) => {
    await insertAttempts(tx, [record])
    if (isSuccess(answer)) await markDelivered(tx, delivery, deps.clock.now())
  })
  return { delivered: isSuccess(answer), status: record.responseStatus, error: record.error }
}

/** The type of a test, as its endpoint receives it. */
export const TEST_EVENT = 'webhook.test'

/**
 * Sends an event of type `webhook.test`, signed as any other, to see whether the endpoint answers. It is
 * listed with the deliveries and can be sent again; it is not retried by itself, and counts for nothing in
 * the health of the endpoint. Refuses NOT_FOUND without an endpoint.
 */
export async function sendTest(
  deps: Omit<ResendDeps, 'render'>,
  name: EndpointName,
): Promise<SendResult & { readonly deliveryId: string }> {
  const { tenantId } = name
  const endpoint = (await findEndpointOf(deps.db, name)) ?? refuse('NOT_FOUND')
  const createdAt = deps.clock.now()
  const id = newId(createdAt.getTime())
  const number = await nextNumber(deps.db)
  const test: Delivery = {
    ...{ id, number, webhookId: id, endpointId: endpoint.id, eventType: TEST_EVENT, tenantId },
    ...{ accountId: tenantId, subjectId: tenantId, payload: {}, status: 'pending' },
    ...{ attempts: 0, createdAt },
  }
  const { answer, record } = await attempt(deps, test, endpoint, {}, { manual: false })
  const delivered = isSuccess(answer)
  await deps.db.transaction(async (tx) => {
    const ended = { ...test, status: delivered ? 'delivered' : 'exhausted' } as const
    await insertTest(tx, ended, deps.clock.now())
    await insertAttempts(tx, [record])
  })
  return { deliveryId: id, delivered, status: record.responseStatus, error: record.error }
}

/** What one call puts back: less than a second of work, and minutes of deliveries. */
export const RECOVERED_AT_ONCE = 5000

/**
 * Has what waits for its next attempt tried now, and what was skipped or ran out of retries since then sent
 * again, each with all retries before it: oldest first and ten a second, up to `limit` deliveries, so that
 * calling it again goes on. An attempt that is under way is left alone. Refuses NOT_FOUND without an
 * endpoint; throws BusyError while another call for the endpoint is under way.
 */
export async function recover(
  { db, clock }: Pick<EndpointDeps, 'db' | 'clock'>,
  { since, limit = RECOVERED_AT_ONCE, ...name }: Recovery,
): Promise<number> {
  const { id: endpointId } = (await findEndpointOf(db, name)) ?? refuse('NOT_FOUND')
  const count = await recoverDeliveries(db, { endpointId, since, at: clock.now(), limit })
  if (count === null) throw new BusyError()
  return count
}

export interface Recovery extends EndpointName {
  readonly since: Date
  readonly limit?: number
}
