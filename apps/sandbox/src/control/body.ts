/** What is wrong with a control call; the message is the answer's `error`. */
export class ControlFault extends Error {
  readonly status: 400 | 404 | 409

  constructor(status: 400 | 404 | 409, message: string) {
    super(message)
    this.status = status
  }
}

/** The body as an object with no other fields than these. */
export function readBody(
  body: unknown,
  fields: readonly string[],
): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ControlFault(400, `The body must be a JSON object with ${fields.join(', ')}.`)
  }
  const strange = Object.keys(body).find((name) => !fields.includes(name))
  if (strange !== undefined) {
    throw new ControlFault(400, `There is no field "${strange}"; there are ${fields.join(', ')}.`)
  }
  return body as Readonly<Record<string, unknown>>
}

/** `{online?, latencyMs?}`, at least one of them. */
export function readPartyChange(body: Readonly<Record<string, unknown>>): {
  online?: boolean
  latencyMs?: number
} {
  const change: { online?: boolean; latencyMs?: number } = {}
  const { online, latencyMs } = body
  if (online !== undefined) {
    if (typeof online !== 'boolean') throw new ControlFault(400, 'online must be true or false.')
    change.online = online
  }
  if (latencyMs !== undefined) {
    if (typeof latencyMs !== 'number' || !(latencyMs >= 0 && latencyMs <= MOST_LATENCY_MS)) {
      throw new ControlFault(400, `latencyMs must be a number from 0 to ${MOST_LATENCY_MS}.`)
    }
    change.latencyMs = latencyMs
  }
  return change
}

const MOST_LATENCY_MS = 600_000
