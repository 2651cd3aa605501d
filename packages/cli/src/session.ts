// Whose key it is and where the service is: from the environment, or from the profile, never mixed.
import { CommandError, EXIT, usageError } from './failure.ts'
import { DEFAULT_PROFILE, type Profile, readProfile } from './profiles.ts'
import { Tradepost } from './sdk.ts'
import type { World } from './world.ts'

export interface Session {
  readonly tradepost: Tradepost
  readonly baseUrl: string
  readonly apiKey: string
  readonly profileName: string
  readonly profile: Profile
}

export const profileNameOf = ({ env }: World, wanted: string | undefined): string =>
  wanted ?? env.TRADEPOST_PROFILE ?? DEFAULT_PROFILE

export function openSession(world: World, wantedProfile: string | undefined): Session {
  const profileName = profileNameOf(world, wantedProfile)
  const profile = readProfile(world.configFolder, profileName)
  const { baseUrl, apiKey } = credentialsOf(world, profile, profileName)
  return { tradepost: clientOf(baseUrl, apiKey), baseUrl, apiKey, profileName, profile }
}

export function clientOf(baseUrl: string, apiKey: string): Tradepost {
  try {
    return new Tradepost({ baseUrl, apiKey })
  } catch (error) {
    throw usageError((error as Error).message)
  }
}

/**
 * A key goes to the service that it was given with, and to no other: an address of the environment with
 * the key of a profile would show that key to whoever is there.
 */
function credentialsOf(
  { env }: World,
  profile: Profile,
  profileName: string,
): { readonly baseUrl: string; readonly apiKey: string } {
  const { TRADEPOST_API_KEY: envKey, TRADEPOST_URL: envUrl } = env
  if (envKey && envUrl) return { baseUrl: originOf(envUrl), apiKey: envKey }
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
  return { baseUrl, apiKey }
}

/** As the SDK wants it: without the slash that people leave at the end. */
export function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageError(`${JSON.stringify(text)} is no address such as https://api.example.com`)
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}
