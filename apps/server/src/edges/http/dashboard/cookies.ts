// The cookies of a session, of a browser that registered, and of a known browser. Behind https their names
// have the prefix `__Host-`, with which a browser takes them from this very host and over TLS only (RFC
// 6265bis, section 4.1.3.2).
import type { IncomingHttpHeaders } from 'node:http'

export interface SessionCookie {
  read(headers: IncomingHttpHeaders): string | null
  /** The value of `set-cookie`. */
  set(token: string, maxAgeSeconds: number): string
  clear(): string
}

/** Of the first two 32 bytes in base64url; of a known browser what people wrote and signed. */
const FORMS = {
  tp_session: /^[A-Za-z0-9_-]{43}$/,
  tp_impersonation: /^[A-Za-z0-9_-]{43}$/,
  tp_registration: /^[A-Za-z0-9_.:-]{1,128}$/,
  tp_device: /^[A-Za-z0-9_.:-]{1,256}$/,
} as const

export function createSessionCookie(
  isSecure: () => boolean,
  base: keyof typeof FORMS = 'tp_session',
): SessionCookie {
  const name = (): string => (isSecure() ? `__Host-${base}` : base)
  const attributes = (): string => `Path=/; HttpOnly; SameSite=Lax${isSecure() ? '; Secure' : ''}`
  return {
    read: ({ cookie }) => {
      const prefix = `${name()}=`
      const pair = cookie?.split(/; */).find((text) => text.startsWith(prefix))
      const token = pair?.slice(prefix.length) ?? ''
      return FORMS[base].test(token) ? token : null
    },
    // A duration: a browser whose clock is wrong keeps the session as long as any other.
    set: (token, maxAgeSeconds) => `${name()}=${token}; Max-Age=${maxAgeSeconds}; ${attributes()}`,
    clear: () => `${name()}=; Max-Age=0; ${attributes()}`,
  }
}
