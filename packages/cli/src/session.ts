// The key and the address of the service, both from the environment or both from the profile.

import type { Environment } from './environment.ts'
import { CommandError, EXIT, usageError } from './failure.ts'
import { DEFAULT_PROFILE, type Profile, readProfile } from './profiles.ts'
import { partner, Tradepost } from './sdk.ts'

interface SessionBase {
  readonly baseUrl: string
  readonly apiKey: string
  readonly profileName: string
  readonly profile: Profile
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
  const { baseUrl, apiKey, speaks } = credentialsOf(environment, profile, profileName)
  const base = { baseUrl, apiKey, profileName, profile }
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

/**
 * A key is sent only to the service that it was stored with: an address from the environment with the key
 * of a profile would disclose that key.
 */
function credentialsOf(
  { env }: Environment,
  profile: Profile,
  profileName: string,
): { readonly baseUrl: string; readonly apiKey: string; readonly speaks: Session['speaks'] } {
  const { TRADEPOST_API_KEY: envKey, TRADEPOST_URL: envUrl } = env
  if (envKey && envUrl) {
    return { baseUrl: originOf(envUrl), apiKey: envKey, speaks: interfaceOf(env) }
  }
  if (envKey) throw usageError('TRADEPOST_API_KEY is set, TRADEPOST_URL is not. Set both.')
  const { baseUrl, apiKey } = profile
  if (baseUrl === undefined || apiKey === undefined) {
    throw new CommandError(`Profile ${profileName} has no key.`, EXIT.notLoggedIn, [
      'Log in: tradepost login',
      'Or set TRADEPOST_API_KEY and TRADEPOST_URL.',
    ])
  }
  if (envUrl && originOf(envUrl) !== baseUrl) {
    throw usageError(
      `TRADEPOST_URL is ${envUrl}, but the key of profile ${profileName} is for ${baseUrl}.`,
      'Set TRADEPOST_API_KEY too, or unset TRADEPOST_URL.',
    )
  }
  return { baseUrl, apiKey, speaks: profile.speaks ?? 'merchant' }
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
