// A person, their memberships, and what each role may do.

export type AccountKind = 'merchant' | 'partner' | 'admin'
export type MemberRole = 'owner' | 'developer' | 'finance' | 'read_only' | 'administrator'
export type TwoFactorMethod = 'email' | 'totp'
/** What is typed as a code. */
export type CodeMethod = TwoFactorMethod | 'recovery'
export type ChallengeMethod = CodeMethod | 'passkey'

/** What an operation of the dashboard needs; see `capabilitiesOf`. */
export type Capability =
  | 'own_login'
  | 'account.read'
  | 'keys.write'
  | 'webhook.write'
  | 'members.write'
  | 'users.write'
  | 'money.write'
  | 'administration'

const READ: readonly Capability[] = ['own_login', 'account.read']

const CAPABILITIES: Readonly<Record<MemberRole, ReadonlySet<Capability>>> = {
  owner: new Set([
    ...READ,
    'keys.write',
    'webhook.write',
    'members.write',
    'users.write',
    'money.write',
  ]),
  developer: new Set([...READ, 'keys.write', 'webhook.write', 'users.write']),
  finance: new Set([...READ, 'money.write']),
  read_only: new Set(READ),
  administrator: new Set(['own_login', 'administration']),
}

export const capabilitiesOf = (role: MemberRole): ReadonlySet<Capability> => CAPABILITIES[role]

export interface Person {
  readonly id: string
  readonly email: string
  readonly emailVerified: boolean
  readonly twoFactorMethod: TwoFactorMethod | null
  /** How many passkeys the person has. */
  readonly passkeys: number
  /** When a second factor that was reported as lost goes; null: none was. */
  readonly factorRemovalAt: Date | null
}

/** A login by password then asks for more. */
export const hasFactor = ({
  twoFactorMethod,
  passkeys,
}: Pick<Person, 'twoFactorMethod' | 'passkeys'>): boolean =>
  twoFactorMethod !== null || passkeys > 0

/** Something that the person holds. A mailbox is none: it also resets the password. */
export const hasStrongFactor = ({
  twoFactorMethod,
  passkeys,
}: Pick<Person, 'twoFactorMethod' | 'passkeys'>): boolean =>
  twoFactorMethod === 'totp' || passkeys > 0

export interface Membership {
  readonly accountId: string
  readonly accountKind: AccountKind
  readonly role: MemberRole
}

/** Where a request comes from, as a session, a mail about it and the audit log name it. */
export interface Origin {
  readonly address: string
  readonly userAgent: string
  readonly requestId: string
}

/** How long a session lives: without use, and in all. */
export const sessionLife = (
  kind: AccountKind,
): { readonly idleMs: number; readonly totalMs: number } =>
  kind === 'admin'
    ? { idleMs: 30 * MINUTE_MS, totalMs: 12 * HOUR_MS }
    : { idleMs: 7 * DAY_MS, totalMs: 30 * DAY_MS }

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
