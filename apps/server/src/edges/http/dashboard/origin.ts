// Whether a change comes from a page of ours. Browsers send `Origin` with every change; other clients need
// none.
import type { IncomingHttpHeaders } from 'node:http'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** `publicUrl` is the origin of the dashboard. On this machine both of its names are the same origin. */
export function isOurOrigin({ origin, host }: IncomingHttpHeaders, publicUrl: string): boolean {
  if (origin === undefined) return true
  const given = URL.parse(origin)
  const own = URL.parse(publicUrl)
  if (given === null || own === null) return false
  if (given.origin === own.origin) return true
  const asked = URL.parse(`http://${host ?? ''}`)
  return (
    asked !== null &&
    given.protocol === 'http:' &&
    [given, own, asked].every(({ hostname }) => LOOPBACK.has(hostname)) &&
    given.port === asked.port
  )
}
