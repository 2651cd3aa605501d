// Connections to addresses that callers name: checked where they cannot be disguised, at the connection, on
// the very address that the socket goes to.
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import type { NameResolver } from './name-resolver.ts'

export class BlockedAddress extends Error {
  override readonly name = 'BlockedAddress'
}

/**
 * A name is resolved once, all its addresses must be allowed, and the socket goes to one of those: a name
 * server that answers differently the next time (DNS rebinding) gains nothing. An address in place of a
 * name never reaches a resolver in Node, so the connected socket is checked as well.
 */
export function guardedConnector(
  isAllowedAddress: (address: string) => boolean,
  resolver: NameResolver,
): buildConnector.connector {
  const guardedLookup: LookupFunction = (hostname, options, callback) => {
    resolver.lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = typeof found === 'string' ? [] : found
      if (error) return callback(error, [])
      if (addresses.length === 0 || !addresses.every(({ address }) => isAllowedAddress(address))) {
        return callback(new BlockedAddress('address not allowed'), [])
      }
      return callback(null, addresses)
    })
  }
  const connect = buildConnector({ timeout: 10_000, lookup: guardedLookup })
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !isAllowedAddress(host)) {
      callback(new BlockedAddress('address not allowed'), null)
      return
    }
    connect(target, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error) return callback(error, null)
      if (!isAllowedAddress((socket as Socket).remoteAddress ?? '')) {
        socket.destroy()
        return callback(new BlockedAddress('address not allowed'), null)
      }
      return callback(null, socket)
    })
  }
}
