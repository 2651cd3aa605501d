// Passkeys in the browser: a question of the service, the person's device, and its answer.
import { type Answer, ApiError, call } from './call.ts'

/** Logs in, or answers a challenge. Throws ApiError. */
export async function answerWithPasskey(challengeId: string | null): Promise<void> {
  const body = challengeId === null ? {} : { challengeId }
  const { ceremonyId, options } = await call('beginPasskeyUse', { body })
  const { id, response } = await ask(async () => {
    const { startAuthentication } = await import('@simplewebauthn/browser')
    type Options = Parameters<typeof startAuthentication>[0]['optionsJSON']
    return startAuthentication({ optionsJSON: options as Options })
  })
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  const credential = { id, clientDataJSON, authenticatorData, signature }
  await call('usePasskey', {
    body: { ceremonyId, credential: { ...credential, ...(userHandle && { userHandle }) } },
  })
}

/** Makes a passkey on this device, or one that is connected. Throws ApiError. */
export async function makePasskey(name: string): Promise<Answer<'addPasskey'>> {
  const { ceremonyId, options } = await call('beginPasskey', {})
  const { id, response } = await ask(async () => {
    const { startRegistration } = await import('@simplewebauthn/browser')
    type Options = Parameters<typeof startRegistration>[0]['optionsJSON']
    return startRegistration({ optionsJSON: options as Options })
  })
  const { clientDataJSON, attestationObject, transports = [] } = response
  const credential = { id, clientDataJSON, attestationObject, transports }
  return call('addPasskey', { body: { ceremonyId, name, credential } })
}

/** The browser says little about a refusal, on purpose: a page must not learn what a device holds. */
async function ask<T>(device: () => Promise<T>): Promise<T> {
  try {
    return await device()
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    if (name === 'InvalidStateError') throw new ApiError('PASSKEY_KNOWN')
    if (name === 'SecurityError') throw new ApiError('PASSKEY_WRONG_SITE')
    throw new ApiError('PASSKEY_NOT_USED')
  }
}
