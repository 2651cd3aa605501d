// The key and the address of the service: both of the profile that --profile names, else both from the
// environment, else both of the default profile.

import type { Environment } from './environment.ts'
import { CommandError, EXIT, usageError } from './failure.ts'
import { DEFAULT_PROFILE, type Profile, readProfile } from './profiles.ts'
import { partner, Tradepost } from './sdk.ts'

interface SessionBase {
  readonly baseUrl: string
  readonly apiKey: string
  readonly profileName: string
  readonly profile: Profile
  /** Where the key comes from, in words. */
  readonly source: string
}

export interface MerchantSession extends SessionBase {
  readonly speaks: 'merchant'
  readonly tradepost: Tradepost
}

export interface PartnerSession extends SessionBase {
  readonly speaks: 'partner'
  readonly account: partner.TradepostPartner
}

export type Session = MerchantSession | PartnerSession

export const profileNameOf = ({ env }: Environment, wanted: string | undefined): string =>
  wanted ?? env.TRADEPOST_PROFILE ?? DEFAULT_PROFILE

export function openSession(environment: Environment, wantedProfile: string | undefined): Session {
  const profileName = profileNameOf(environment, wantedProfile)
  const profile = readProfile(environment.configFolder, profileName)
  const { speaks, ...credentials } =
    (wantedProfile === undefined ? ofEnvironment(environment.env) : null) ??
    ofProfile(environment, profile, profileName)
  if (wantedProfile === undefined) refuseOtherAddress(environment.env, credentials)
  const { baseUrl, apiKey } = credentials
  const base = { ...credentials, profileName, profile }
  return speaks === 'partner'
    ? { ...base, speaks, account: partnerClientOf(baseUrl, apiKey) }
    : { ...base, speaks, tradepost: clientOf(baseUrl, apiKey) }
}

export function partnerClientOf(baseUrl: string, apiKey: string): partner.TradepostPartner {
  try {
    return new partner.TradepostPartner({ baseUrl, apiKey })
  } catch (error) {
    throw usageError((error as Error).message)
  }
}

export function clientOf(baseUrl: string, apiKey: string): Tradepost {
  try {
    return new Tradepost({ baseUrl, apiKey })
  } catch (error) {
    throw usageError((error as Error).message)
  }
}

interface Credentials {
  readonly baseUrl: string
  readonly apiKey: string
  readonly source: string
}

type Known = Credentials & Pick<Session, 'speaks'>

/** Null without a key in the environment. */
function ofEnvironment(env: Environment['env']): Known | null {
  const { TRADEPOST_API_KEY: apiKey, TRADEPOST_URL: url } = env
  if (!apiKey) return null
  if (!url) throw usageError('TRADEPOST_API_KEY is set, TRADEPOST_URL is not. Set both.')
  return { baseUrl: originOf(url), apiKey, speaks: interfaceOf(env), source: 'TRADEPOST_API_KEY' }
}

function ofProfile(
  { commandLine }: Environment,
  { baseUrl, apiKey, speaks }: Profile,
  name: string,
): Known {
  if (baseUrl === undefined || apiKey === undefined) {
    throw new CommandError(`Profile ${name} has no key.`, EXIT.notLoggedIn, [
      `Log in: ${commandLine('login')}`,
      'Or set TRADEPOST_API_KEY and TRADEPOST_URL.',
    ])
  }
  return { baseUrl, apiKey, speaks: speaks ?? 'merchant', source: `profile ${name}` }
}

/**
 * A key is sent only to the service that it was stored with: an address from the environment with the key
 * of a profile would disclose that key.
 */
function refuseOtherAddress(
  { TRADEPOST_URL: url }: Environment['env'],
  { baseUrl, source }: Credentials,
): void {
  if (!url || originOf(url) === baseUrl) return
  throw usageError(
    `TRADEPOST_URL is ${url}, but the key of ${source} is for ${baseUrl}.`,
    'Set TRADEPOST_API_KEY too, or unset TRADEPOST_URL.',
  )
}

/** Of a key from the environment. */
function interfaceOf({ TRADEPOST_INTERFACE: named }: Environment['env']): Session['speaks'] {
  if (named === undefined || named === '' || named === 'merchant') return 'merchant'
  if (named === 'partner') return 'partner'
  throw usageError('TRADEPOST_INTERFACE is merchant or partner.')
}

/** Without a slash at the end. */
export function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageError(`${JSON.stringify(text)} is not an address such as https://api.example.com`)
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}
