import type { Json } from './harness.ts'

/** A sandbox, wherever it runs. */
interface Site {
  readonly url: string
}

/** One of the broker's accounts, logged in with nothing but HTTP. */
export interface Bot {
  readonly id: string
  readonly identitySecret: string
  readonly accessToken: string
  readonly cookie: string
}

/** `refresh_token` = 1 and `renewal_type` = 3, as a protocol buffer. */
function loginForm(refreshToken: string, mayRenew: boolean): URLSearchParams {
  const text = Buffer.from(refreshToken)
  const length = [(text.length & 0x7f) | 0x80, text.length >> 7]
  const bytes = Buffer.concat([
    Buffer.from([0x0a, ...length]),
    text,
    Buffer.from([0x18, mayRenew ? 1 : 0]),
  ])
  return new URLSearchParams({ input_protobuf_encoded: bytes.toString('base64') })
}

export async function login(
  h: Site,
  refreshToken: string,
  mayRenew = false,
): Promise<string[] | null> {
  const path = '/platform/api/IAuthenticationService/GenerateAccessTokenForApp/v1/'
  const body = loginForm(refreshToken, mayRenew)
  const response = await fetch(`${h.url}${path}`, { method: 'POST', body })
  if (response.headers.get('x-eresult') !== '1') return null
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
  return text.match(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g)
}

export async function botOf(h: Site): Promise<Bot> {
  const bots = (await (await fetch(`${h.url}/control/platform/bots`)).json()) as Json[]
  const { platformId, identitySecret, refreshToken } = bots[0] as Json
  const [accessToken = ''] = (await login(h, refreshToken)) ?? []
  const secure = encodeURIComponent(`${platformId}||${accessToken}`)
  const cookie = `steamLoginSecure=${secure}; sessionid=5e55`
  return { id: platformId, identitySecret, accessToken, cookie }
}
