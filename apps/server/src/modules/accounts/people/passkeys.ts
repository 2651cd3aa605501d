// Passkeys: added, named and removed by their person; used alone or as a second factor.
import { randomBytes } from 'node:crypto'
import type { Actor } from '#audit'
import { newId } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import { queueNotice } from '#mail'
import type { Proof } from './challenge.ts'
import type { PeopleDeps } from './deps.ts'
import { stopRemoval } from './factor-removal.ts'
import { begin, type FactorAnswer, proveFactor } from './log-in.ts'
import { MINUTE_MS } from './person.ts'
import { recordOwn } from './record.ts'
import { firstRecoveryCodes, forgetUselessRecoveryCodes } from './recovery.ts'
import { type BegunSession, lockHolder, noteStrongFactor } from './session.ts'
import { findChallenge } from './store/challenges.ts'
import {
  type CeremonyRow,
  deletePasskey,
  findPasskey,
  findPasskeys,
  insertCeremony,
  insertPasskey,
  notePasskeyUse,
  type PasskeyRow,
  renamePasskeyRow,
  spendCeremony,
} from './store/passkeys.ts'
import { lockPerson } from './store/people.ts'
import { endOtherSessions } from './store/sessions.ts'
import {
  CEREMONY_MINUTES,
  type CreationOptions,
  creationOptions,
  type NewCredential,
  type RequestOptions,
  readNewCredential,
  readUsedCredential,
  requestOptions,
  type UsedCredential,
} from './webauthn.ts'

const MOST_PASSKEYS = 20

export interface Ceremony<Options> {
  readonly ceremonyId: string
  readonly options: Options
}

/** What a browser needs to make a passkey. Refuses VALIDATION_FAILED above twenty of them. */
export async function beginPasskey(
  deps: PeopleDeps,
  person: { readonly id: string; readonly email: string },
): Promise<Ceremony<CreationOptions>> {
  const known = await findPasskeys(deps.db, person.id)
  if (known.length >= MOST_PASSKEYS) refuseAnother()
  const { ceremonyId, nonce } = await openCeremony(deps, { personId: person.id, challengeId: null })
  return { ceremonyId, options: await creationOptions(deps.publicUrl(), { nonce, person, known }) }
}

export interface AddedPasskey {
  readonly passkey: PasskeyRow
  /** Of a person's first factor: ten codes, shown once. */
  readonly recoveryCodes: readonly string[] | null
}

/**
 * Keeps a passkey that a browser has made and ends all other sessions. Its device has verified the person, so
 * that this session has the second factor from then on. Refuses TWO_FACTOR_EXPIRED for a
 * ceremony that is unknown, answered or expired, TWO_FACTOR_INVALID for a wrong answer.
 */
export async function addPasskey(
  deps: PeopleDeps,
  order: {
    readonly personId: string
    readonly sessionId: string
    readonly actor: Actor
    readonly ceremonyId: string
    readonly name: string
    readonly credential: NewCredential
  },
): Promise<AddedPasskey> {
  const { db, clock, secrets, publicUrl } = deps
  const { personId, sessionId, actor, ceremonyId, name, credential } = order
  const at = clock.now()
  const ceremony = await spendCeremony(db, { id: ceremonyId, personId, at })
  if (ceremony === null) return refuse('TWO_FACTOR_EXPIRED')
  const made = await readNewCredential(publicUrl(), ceremony.nonce, credential)
  if (made === null) return refuse('TWO_FACTOR_INVALID')
  return db.transaction(async (tx) => {
    const person = await lockHolder(tx, { personId, sessionId })
    if (person.passkeys >= MOST_PASSKEYS) refuseAnother()
    const { transports } = credential
    const passkey = { ...made, id: newId(at.getTime()), personId, transports, name }
    const kept: PasskeyRow = { ...passkey, createdAt: at, lastUsedAt: null }
    if (!(await insertPasskey(tx, kept))) refuse('TWO_FACTOR_INVALID')
    const recoveryCodes = await firstRecoveryCodes(tx, secrets, personId)
    await noteStrongFactor(tx, sessionId, at)
    await endOtherSessions(tx, { personId, keepId: sessionId, at })
    const details = { name, at: at.toISOString() }
    await recordOwn(tx, actor, { act: 'person.add_passkey', details: { name }, at })
    await queueNotice(tx, { to: person.email, template: 'passkey_added', details, at })
    return { passkey: kept, recoveryCodes }
  })
}

export const listPasskeys = (
  { db }: Pick<PeopleDeps, 'db'>,
  personId: string,
): Promise<PasskeyRow[]> => findPasskeys(db, personId)

/** Refuses NOT_FOUND. */
export const renamePasskey = (
  { db, clock }: PeopleDeps,
  {
    actor,
    ...change
  }: {
    readonly id: string
    readonly personId: string
    readonly name: string
    readonly actor: Actor
  },
): Promise<PasskeyRow> =>
  db.transaction(async (tx) => {
    const renamed = (await renamePasskeyRow(tx, change)) ?? refuse('NOT_FOUND')
    const details = { id: change.id, name: change.name }
    await recordOwn(tx, actor, { act: 'person.rename_passkey', details, at: clock.now() })
    return renamed
  })

/** Ends all other sessions. Refuses NOT_FOUND. */
export const removePasskey = (
  { db, clock }: PeopleDeps,
  {
    id,
    personId,
    sessionId,
    actor,
  }: {
    readonly id: string
    readonly personId: string
    readonly sessionId: string
    readonly actor: Actor
  },
): Promise<PasskeyRow> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const person = await lockHolder(tx, { personId, sessionId })
    const removed = await deletePasskey(tx, { id, personId })
    if (!removed) return refuse('NOT_FOUND')
    await forgetUselessRecoveryCodes(tx, { ...person, passkeys: person.passkeys - 1 })
    await endOtherSessions(tx, { personId, keepId: sessionId, at })
    const details = { name: removed.name, at: at.toISOString() }
    await recordOwn(tx, actor, {
      act: 'person.remove_passkey',
      details: { name: removed.name },
      at,
    })
    await queueNotice(tx, { to: person.email, template: 'passkey_removed', details, at })
    return removed
  })

/**
 * What a browser needs to use a passkey: any of this site, or those of the person whose second factor a
 * challenge asks for. An unknown challenge is answered as one without passkeys.
 */
export async function beginPasskeyUse(
  deps: PeopleDeps,
  challengeId: string | null,
): Promise<Ceremony<RequestOptions>> {
  const challenge = challengeId === null ? null : await findChallenge(deps.db, challengeId)
  if (challengeId !== null && challenge === null) return refuse('TWO_FACTOR_EXPIRED')
  const known = challenge === null ? [] : await findPasskeys(deps.db, challenge.personId)
  const { ceremonyId, nonce } = await openCeremony(deps, { personId: null, challengeId })
  return { ceremonyId, options: await requestOptions(deps.publicUrl(), { nonce, known }) }
}

/**
 * Begins a session, or makes the one that a challenge belongs to fresh and returns null. Refuses
 * TWO_FACTOR_EXPIRED for a ceremony or challenge that is unknown, answered or expired; a wrong answer with
 * TWO_FACTOR_INVALID for a challenge, else with INVALID_CREDENTIALS; EMAIL_NOT_VERIFIED.
 */
export async function usePasskey(
  deps: PeopleDeps,
  use: Omit<FactorAnswer, 'challengeId'> & {
    readonly ceremonyId: string
    readonly credential: UsedCredential
  },
): Promise<BegunSession | null> {
  const at = deps.clock.now()
  const ceremony = await spendCeremony(deps.db, { id: use.ceremonyId, personId: null, at })
  if (ceremony === null) return refuse('TWO_FACTOR_EXPIRED')
  const proof = await passkeyProof(deps, { ceremony, credential: use.credential })
  if (ceremony.challengeId !== null) {
    return proveFactor(deps, { ...use, challengeId: ceremony.challengeId }, proof)
  }
  return deps.db.transaction(async (tx) => {
    const person = proof.personId === null ? null : await lockPerson(tx, proof.personId)
    const isRight = person !== null && (await proof.isRight(tx, { challenge: null, person, at }))
    if (!isRight) return refuse('INVALID_CREDENTIALS')
    if (person.emailVerifiedAt === null) refuse('EMAIL_NOT_VERIFIED')
    await stopRemoval(tx, person, { outcome: 'factor_used', at })
    return begin(tx, { person, origin: use.origin, hasSecondFactor: true, by: 'passkey', at })
  })
}

/** `personId` names the passkey's person; null when the answer proves nothing. */
async function passkeyProof(
  { db, publicUrl }: PeopleDeps,
  { ceremony, credential }: { ceremony: CeremonyRow; credential: UsedCredential },
): Promise<Proof & { readonly personId: string | null }> {
  const passkey = await findPasskey(db, credential.id)
  const counter =
    passkey && (await readUsedCredential(publicUrl(), ceremony.nonce, { credential, passkey }))
  return {
    method: 'passkey',
    personId: counter === null ? null : (passkey?.personId ?? null),
    isRight: async (tx, { person, at }) => {
      if (passkey === null || counter === null || passkey.personId !== person.id) return false
      return notePasskeyUse(tx, { id: passkey.id, was: passkey.counter, counter, at })
    },
  }
}

async function openCeremony(
  { db, clock }: PeopleDeps,
  purpose: Pick<CeremonyRow, 'personId' | 'challengeId'>,
): Promise<{ readonly ceremonyId: string; readonly nonce: Buffer }> {
  const at = clock.now()
  const ceremonyId = newId(at.getTime())
  const nonce = randomBytes(32)
  const expiresAt = new Date(at.getTime() + CEREMONY_MINUTES * MINUTE_MS)
  await insertCeremony(db, { ...purpose, id: ceremonyId, nonce, at, expiresAt })
  return { ceremonyId, nonce }
}

const refuseAnother = (): never =>
  refuse('VALIDATION_FAILED', {
    errors: [
      {
        ...{ in: 'body', pointer: '', rule: 'maxItems' },
        message: `a person has at most ${MOST_PASSKEYS} passkeys`,
      },
    ],
  })
