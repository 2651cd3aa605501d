// The session's cookie. Behind https its name has the prefix `__Host-`, with which a browser takes it from
// this very host and over TLS only (RFC 6265bis, section 4.1.3.2).
import type { IncomingHttpHeaders } from 'node:http'

export interface SessionCookie {
  read(headers: IncomingHttpHeaders): string | null
  /** The value of `set-cookie`. */
  set(token: string, maxAgeSeconds: number): string
  clear(): string
}

/** 32 bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/

export function createSessionCookie(
  isSecure: () => boolean,
  base: 'tp_session' | 'tp_impersonation' = 'tp_session',
): SessionCookie {
  const name = (): string => (isSecure() ? `__Host-${base}` : base)
  const attributes = (): string => `Path=/; HttpOnly; SameSite=Lax${isSecure() ? '; Secure' : ''}`
  return {
    read: ({ cookie }) => {
      const prefix = `${name()}=`
      const pair = cookie?.split(/; */).find((text) => text.startsWith(prefix))
      const token = pair?.slice(prefix.length) ?? ''
      return TOKEN.test(token) ? token : null
    },
    // A duration: a browser whose clock is wrong keeps the session as long as any other.
    set: (token, maxAgeSeconds) => `${name()}=${token}; Max-Age=${maxAgeSeconds}; ${attributes()}`,
    clear: () => `${name()}=; Max-Age=0; ${attributes()}`,
  }
}
