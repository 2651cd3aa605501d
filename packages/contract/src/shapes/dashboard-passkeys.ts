// Passkeys (Web Authentication, level 3). Binary values are base64url, as browsers' JSON forms have them.
import { type Static, Type } from 'typebox'
import { DateTime, textLine, Uuid } from '../primitives.ts'
import { describe, nullable } from '../schema.ts'

const bytes = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$', examples: ['AQID'] })
const CredentialId = bytes(1400)
const ClientData = bytes(8192)
const Transport = Type.String({ minLength: 1, maxLength: 32, pattern: '^[a-z-]+$' })

const Descriptor = Type.Object({
  id: Type.String(),
  type: Type.Literal('public-key'),
  transports: Type.Array(Type.String()),
})

export const PasskeyCreation = Type.Object(
  {
    ceremonyId: Uuid,
    options: describe(
      Type.Object({
        challenge: Type.String(),
        rp: Type.Object({ id: Type.String(), name: Type.String() }),
        user: Type.Object({
          id: Type.String(),
          name: Type.String(),
          displayName: Type.String(),
        }),
        pubKeyCredParams: Type.Array(
          Type.Object({ alg: Type.Integer(), type: Type.Literal('public-key') }),
        ),
        timeout: Type.Integer(),
        excludeCredentials: Type.Array(Descriptor),
        authenticatorSelection: Type.Object({
          residentKey: Type.Literal('required'),
          userVerification: Type.Literal('required'),
        }),
        attestation: Type.Literal('none'),
      }),
      '`PublicKeyCredentialCreationOptionsJSON`; good for five minutes and one answer.',
    ),
  },
  { title: 'PasskeyCreation' },
)
export type PasskeyCreation = Static<typeof PasskeyCreation>

export const PasskeyUse = Type.Object(
  {
    ceremonyId: Uuid,
    options: describe(
      Type.Object({
        challenge: Type.String(),
        rpId: Type.String(),
        timeout: Type.Integer(),
        allowCredentials: Type.Array(Descriptor),
        userVerification: Type.Literal('required'),
      }),
      '`PublicKeyCredentialRequestOptionsJSON`; good for five minutes and one answer.',
    ),
  },
  { title: 'PasskeyUse' },
)
export type PasskeyUse = Static<typeof PasskeyUse>

export const BeginPasskeyUseBody = Type.Object(
  {
    challengeId: Type.Optional(
      describe(
        Uuid,
        'Of TWO_FACTOR_REQUIRED or TWO_FACTOR_FRESH_REQUIRED; left out, it logs in without a password.',
      ),
    ),
  },
  { title: 'BeginPasskeyUseBody' },
)

export const UsePasskeyBody = Type.Object(
  {
    ceremonyId: Uuid,
    credential: Type.Object({
      id: CredentialId,
      clientDataJSON: ClientData,
      authenticatorData: bytes(8192),
      signature: bytes(4096),
      userHandle: Type.Optional(bytes(128)),
    }),
  },
  { title: 'UsePasskeyBody' },
)

const PasskeyName = textLine(64, { examples: ['laptop'] })

export const AddPasskeyBody = Type.Object(
  {
    ceremonyId: Uuid,
    name: PasskeyName,
    credential: Type.Object({
      id: CredentialId,
      clientDataJSON: ClientData,
      attestationObject: bytes(65_536),
      transports: Type.Array(Transport, { maxItems: 10 }),
    }),
  },
  { title: 'AddPasskeyBody' },
)

export const PasskeyItem = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    synced: describe(Type.Boolean(), 'Kept on several devices by its provider.'),
    createdAt: DateTime,
    lastUsedAt: nullable(DateTime),
  },
  { title: 'PasskeyItem' },
)
export type PasskeyItem = Static<typeof PasskeyItem>

export const AddedPasskey = Type.Object(
  {
    passkey: PasskeyItem,
    recoveryCodes: nullable(
      describe(Type.Array(Type.String()), 'Of the first factor, shown once; each works once.'),
    ),
  },
  { title: 'AddedPasskey' },
)
export type AddedPasskey = Static<typeof AddedPasskey>

export const PasskeyParams = Type.Object({ id: Uuid }, { title: 'PasskeyParams' })
export const RenamePasskeyBody = Type.Object({ name: PasskeyName }, { title: 'RenamePasskeyBody' })
