// The dashboard's views of passkeys.
import type { AddedPasskey, PasskeyCreation, PasskeyItem, PasskeyUse } from '@tradepost/contract'
import type * as people from '#people'

export const passkeyView = ({
  id,
  name,
  isSynced,
  createdAt,
  lastUsedAt,
}: people.Passkey): PasskeyItem => ({
  ...{ id, name, synced: isSynced },
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
})

export const addedPasskeyView = ({
  passkey,
  recoveryCodes,
}: people.AddedPasskey): AddedPasskey => ({
  passkey: passkeyView(passkey),
  recoveryCodes: recoveryCodes && [...recoveryCodes],
})

export function ceremonyView(ceremony: people.Ceremony<people.CreationOptions>): PasskeyCreation
export function ceremonyView(ceremony: people.Ceremony<people.RequestOptions>): PasskeyUse
export function ceremonyView(ceremony: people.Ceremony<unknown>): unknown {
  return ceremony
}
