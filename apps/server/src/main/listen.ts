// Ports: a busy one is reported in a sentence that names its setting.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CannotStart } from '#infra/process/cannot-start'
import type { Metrics } from '#infra/process/metrics'

export interface Place {
  readonly host: string
  readonly port: number
}

/** Turns what `listen` failed with into a sentence about the setting. */
export function listenFailure(error: unknown, setting: string, { host, port }: Place): unknown {
  const code = (error as NodeJS.ErrnoException).code
  const where = `${setting} ${port} on ${host}`
  if (code === 'EADDRINUSE') {
    return new CannotStart(`${where} is already in use. Set ${setting} to a free port.`)
  }
  if (code === 'EACCES') return new CannotStart(`${where} may not be opened by this user.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new CannotStart(`${where} cannot be opened: this machine has no such address.`)
  }
  return error
}

/** Finds out early, before seconds are spent on a start that must fail. */
export async function refuseBusyPort(setting: string, place: Place): Promise<void> {
  if (place.port === 0) return
  const server = createServer()
  await listen(server, setting, place)
  await new Promise((resolve) => server.close(resolve))
}

/** Serves `/metrics` and `/healthz`, for the operator's network only. */
export async function serveMetrics(
  metrics: Metrics,
  place: Place,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((req, res) => {
    const path = req.url?.split('?')[0]
    if (path === '/healthz') {
      res.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n')
    } else if (path === '/metrics') {
      metrics.text().then(
        (text) => res.writeHead(200, { 'content-type': metrics.contentType }).end(text),
        () => res.writeHead(500).end(),
      )
    } else {
      res.writeHead(404).end()
    }
  })
  await listen(server, 'METRICS_PORT', place)
  return {
    url: urlOf(place.host, (server.address() as AddressInfo).port),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** An address that a client on this machine can use. */
export function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function listen(server: Server, setting: string, place: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, setting, place)))
    server.listen(place.port, place.host, () => resolve())
  })
}
