// Which addresses a webhook may go to. A merchant types the URL, so it is hostile input: without these
// rules it would let a merchant reach the service's own network (server-side request forgery).
import { BlockList, isIP } from 'node:net'

const MAX_URL_LENGTH = 2048

export type UrlProblem = 'form' | 'scheme' | 'userinfo' | 'fragment' | 'port' | 'host'

export interface AddressRules {
  /** Plain http, any port, loopback and private networks are allowed too. */
  readonly allowPrivate: boolean
}

/**
 * What is wrong with the text of an endpoint's URL, or null. Names are not resolved here; the resolved
 * address is checked at every connection.
 */
export function urlProblem(text: string, rules: AddressRules): UrlProblem | null {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return 'form'
  const url = new URL(text)
  const { allowPrivate } = rules
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'scheme'
  if (url.username !== '' || url.password !== '') return 'userinfo'
  if (url.hash !== '') return 'fragment'
  const port = url.port === '' ? 443 : Number(url.port)
  if (!allowPrivate && port !== 443 && port !== 8443 && port < 1024) return 'port'
  return isAllowedHost(hostOf(url), rules) ? null : 'host'
}

function isAllowedHost(host: string, rules: AddressRules): boolean {
  if (isIP(host) !== 0) return isAllowedAddress(host, rules)
  const name = host.replace(/\.$/, '').toLowerCase()
  if (name === 'metadata.google.internal') return false
  if (rules.allowPrivate) return true
  return name.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa)$/.test(name)
}

/**
 * A name or an address, IPv6 without its brackets. WHATWG URL has already turned 2130706433, 0x7f.1 and
 * 0177.0.0.1 into dotted addresses.
 */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/** As the end of a sentence. */
export const problemText = (problem: UrlProblem, { allowPrivate }: AddressRules): string =>
  (allowPrivate ? TEXTS_WITH_PRIVATE : PROBLEM_TEXTS)[problem]

const PROBLEM_TEXTS: Readonly<Record<UrlProblem, string>> = {
  form: `it is no whole address of at most ${MAX_URL_LENGTH} characters, such as https://shop.example/hooks`,
  scheme: 'it does not begin with https://',
  userinfo: 'it contains a user name or a password',
  fragment: 'it has a part after #',
  port: 'its port is neither 443 nor 8443 nor above 1023',
  host: 'its host is not on the public internet',
}

const TEXTS_WITH_PRIVATE: typeof PROBLEM_TEXTS = {
  ...PROBLEM_TEXTS,
  scheme: 'it begins with neither https:// nor http://',
  host: 'its host is neither on the public internet nor in a private network',
}

function networks(family: 'ipv4' | 'ipv6', subnets: readonly (readonly [string, number])[]) {
  const list = new BlockList()
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family)
  return list
}

const private4 = networks('ipv4', [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
])
const notPublic4 = networks('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Azure answers virtual machines about themselves at this address of its public range.
  ['168.63.129.16', 32],
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
])
const private6 = networks('ipv6', [
  ['::1', 128],
  ['fc00::', 7],
])
// The metadata services of AWS and Google.
const metadata6 = networks('ipv6', [
  ['fd00:ec2::', 32],
  ['fd20:ce::254', 128],
])
// Of IPv6 only global unicast (2000::/3) is public, less what tunnels or documents: Teredo, examples, 6to4.
// Everything that embeds an IPv4 address in another way (mapped, compatible, NAT64) is outside of it, and of
// what is private.
const globalUnicast = networks('ipv6', [['2000::', 3]])
const notPublic6 = networks('ipv6', [
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
])

/**
 * A public address; with `allowPrivate` also one of loopback, of RFC 1918 or of fc00::/7. Link-local,
 * unspecified, multicast and metadata addresses never are.
 */
export function isAllowedAddress(address: string, { allowPrivate }: AddressRules): boolean {
  switch (isIP(address)) {
    case 4: {
      const isPublic = !notPublic4.check(address, 'ipv4')
      return isPublic || (allowPrivate && private4.check(address, 'ipv4'))
    }
    case 6: {
      const isPublic = globalUnicast.check(address, 'ipv6') && !notPublic6.check(address, 'ipv6')
      const isPrivate = private6.check(address, 'ipv6') && !metadata6.check(address, 'ipv6')
      return isPublic || (allowPrivate && isPrivate)
    }
    default:
      return false
  }
}
