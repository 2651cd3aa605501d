// Which addresses a webhook may go to. A merchant types the URL, so it is hostile input: without these
// rules it would let a merchant reach the service's own network (server-side request forgery).
import { BlockList, isIP } from 'node:net'

const MAX_URL_LENGTH = 2048

export type UrlProblem = 'form' | 'scheme' | 'userinfo' | 'fragment' | 'port' | 'host'

/**
 * What is wrong with the text of an endpoint's URL, or null. Names are not resolved here; the resolved
 * address is checked at every connection. `allowPrivate` is the development setting: http and loopback.
 */
export function urlProblem(
  text: string,
  { allowPrivate }: { allowPrivate: boolean },
): UrlProblem | null {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return 'form'
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'scheme'
  if (url.username !== '' || url.password !== '') return 'userinfo'
  if (url.hash !== '') return 'fragment'
  if (allowPrivate) return null
  const port = url.port === '' ? 443 : Number(url.port)
  if (port !== 443 && port !== 8443 && port < 1024) return 'port'
  const host = hostOf(url)
  if (isIP(host) !== 0) return isPublicAddress(host) ? null : 'host'
  const name = host.replace(/\.$/, '').toLowerCase()
  const local = !name.includes('.') || /(^|\.)(localhost|local|internal|home\.arpa)$/.test(name)
  return local ? 'host' : null
}

/**
 * A name or an address, IPv6 without its brackets. WHATWG URL has already turned 2130706433, 0x7f.1 and
 * 0177.0.0.1 into dotted addresses.
 */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/** As the end of a sentence. */
export const problemText = (
  problem: UrlProblem,
  { allowPrivate }: { readonly allowPrivate: boolean },
): string =>
  problem === 'scheme' && allowPrivate
    ? 'it begins with neither https:// nor http://'
    : PROBLEM_TEXTS[problem]

const PROBLEM_TEXTS: Readonly<Record<UrlProblem, string>> = {
  form: `it is no whole address of at most ${MAX_URL_LENGTH} characters, such as https://shop.example/hooks`,
  scheme: 'it does not begin with https://',
  userinfo: 'it contains a user name or a password',
  fragment: 'it has a part after #',
  port: 'its port is neither 443 nor 8443 nor above 1023',
  host: 'its host is not on the public internet',
}

const blocked = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  blocked.addSubnet(network, prefix, 'ipv4')
}
// Of IPv6 only global unicast (2000::/3) is public, less what tunnels or documents: Teredo, examples, 6to4.
// Everything that embeds an IPv4 address in another way (mapped, compatible, NAT64) is outside of it.
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')
for (const [network, prefix] of [
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  blocked.addSubnet(network, prefix, 'ipv6')
}

export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !blocked.check(address, 'ipv4')
    case 6:
      return globalUnicast.check(address, 'ipv6') && !blocked.check(address, 'ipv6')
    default:
      return false
  }
}
