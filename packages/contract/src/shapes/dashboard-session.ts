// Logging in to the dashboard, and the session that follows.
import { type Static, Type } from 'typebox'
import { COUNTRY_CODES } from '../countries.ts'
import { DateTime, EmailAddress, Role, TwoFactorMethod, Uuid } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'

const Password = Type.String({ minLength: 1, maxLength: 256 })
/** A new one: what is too weak is PASSWORD_TOO_WEAK, whatever its length. */
const NewPassword = describe(Password, 'At least ten characters, and none of the common ones.')
const MailToken = Type.String({ minLength: 1, maxLength: 128 })

export const RegisterBody = Type.Object(
  {
    email: EmailAddress,
    password: NewPassword,
    country: Type.Optional(stringEnum(COUNTRY_CODES, { description: 'ISO 3166-1 alpha-2.' })),
  },
  { title: 'RegisterBody' },
)
export type RegisterBody = Static<typeof RegisterBody>

/** The same for every address, so that it shows nothing of one. */
export const MailSent = Type.Object({ mailSent: Type.Literal(true) }, { title: 'MailSent' })
export type MailSent = Static<typeof MailSent>

export const VerifyEmailBody = Type.Object({ token: MailToken }, { title: 'VerifyEmailBody' })
export const Verified = Type.Object(
  {
    emailVerified: Type.Literal(true),
    loggedIn: describe(
      Type.Boolean(),
      'Whether a session was begun: only in the browser that registered.',
    ),
  },
  { title: 'Verified' },
)

export const LoginBody = Type.Object(
  { email: EmailAddress, password: Password },
  { title: 'LoginBody' },
)

export const MEMBER_ROLES = ['owner', 'developer', 'finance', 'read_only', 'administrator'] as const
export const MemberRole = stringEnum(MEMBER_ROLES, { title: 'MemberRole' })

/** What a person may do in their role; a route of the dashboard needs one of them, or none. */
export const MEMBER_CAPABILITIES = [
  'own_login',
  'account.read',
  'keys.write',
  'webhook.write',
  'members.write',
  'users.write',
  'money.write',
  'administration',
] as const
export const MemberCapability = stringEnum(MEMBER_CAPABILITIES, { title: 'MemberCapability' })
export type MemberCapability = Static<typeof MemberCapability>

export const DashboardUser = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    emailVerified: Type.Boolean(),
    twoFactorMethod: nullable(TwoFactorMethod),
    passkeys: describe(Type.Integer(), 'How many passkeys the person has.'),
    factorRemovalAt: describe(
      nullable(DateTime),
      'When a second factor that was reported as lost is removed; null: none was.',
    ),
    accountId: describe(Uuid, 'The merchant, partner or administrator’s account of this session.'),
    accountKind: stringEnum(['merchant', 'partner', 'admin']),
    memberRole: MemberRole,
  },
  { title: 'DashboardUser' },
)
export type DashboardUser = Static<typeof DashboardUser>

export const DashboardSession = Type.Object(
  {
    user: DashboardUser,
    roles: Type.Array(Role),
    capabilities: describe(
      Type.Array(MemberCapability),
      'What the person may do here: pages leave out what would be refused.',
    ),
    accountSuspended: describe(
      Type.Boolean(),
      'Everything can be read, and nothing changed. An answer to a login says false: ask for the session.',
    ),
    tradingPausedSince: describe(
      nullable(DateTime),
      'No buy and no sell is accepted since then; null: they are. An answer to a login says null.',
    ),
    sandboxUrl: describe(
      nullable(Type.String()),
      'The console of the sandbox; null: outside of it. An answer to a login says null.',
    ),
    csrfToken: describe(Type.String(), 'For the header x-csrf-token of every change.'),
    expiresAt: DateTime,
    impersonation: nullable(
      describe(
        Type.Object({ accountName: Type.String(), reason: Type.String(), until: DateTime }),
        'An administrator looks at an account with its own pages, and changes nothing.',
      ),
    ),
  },
  { title: 'DashboardSession' },
)
export type DashboardSession = Static<typeof DashboardSession>

export const SandboxPlace = Type.Object(
  {
    url: describe(
      nullable(Type.String()),
      'The console of the sandbox, which has all mail of the service; null: outside of the sandbox.',
    ),
  },
  { title: 'SandboxPlace' },
)
export type SandboxPlace = Static<typeof SandboxPlace>

/** What is typed as a code; a passkey has a route of its own. */
export const CODE_METHODS = ['email', 'totp', 'recovery'] as const

export const TwoFactorBody = Type.Object(
  {
    challengeId: Uuid,
    method: stringEnum(CODE_METHODS),
    code: Type.String({ minLength: 1, maxLength: 32 }),
  },
  { title: 'TwoFactorBody' },
)

export const SendCodeBody = Type.Object({ challengeId: Uuid }, { title: 'SendCodeBody' })

export const LoggedOut = Type.Object({ loggedOut: Type.Literal(true) }, { title: 'LoggedOut' })

export const ForgotPasswordBody = Type.Object(
  { email: EmailAddress },
  { title: 'ForgotPasswordBody' },
)
export const ResetPasswordBody = Type.Object(
  { token: MailToken, password: NewPassword },
  { title: 'ResetPasswordBody' },
)
export const ChangePasswordBody = Type.Object(
  { currentPassword: Password, newPassword: NewPassword },
  { title: 'ChangePasswordBody' },
)
export const PasswordChanged = Type.Object(
  { passwordChanged: Type.Literal(true) },
  { title: 'PasswordChanged' },
)

export const SessionItem = Type.Object(
  {
    id: Uuid,
    current: Type.Boolean(),
    address: Type.String(),
    browser: Type.String({ description: 'What a person calls it, such as `Firefox 145, Linux`.' }),
    userAgent: Type.String(),
    createdAt: DateTime,
    lastSeenAt: DateTime,
  },
  { title: 'SessionItem' },
)
export type SessionItem = Static<typeof SessionItem>
export const SessionParams = Type.Object({ id: Uuid }, { title: 'SessionParams' })
export const SessionsEnded = Type.Object({ ended: Type.Integer() }, { title: 'SessionsEnded' })

export const TotpSetup = Type.Object(
  {
    secret: describe(Type.String(), 'Base 32, to type into an authenticator app.'),
    uri: describe(Type.String(), '`otpauth://`, for a QR code.'),
  },
  { title: 'TotpSetup' },
)
export const TotpCodeBody = Type.Object(
  { code: Type.String({ pattern: '^[0-9]{6}$' }) },
  { title: 'TotpCodeBody' },
)
export const RecoveryCodes = Type.Object(
  { recoveryCodes: describe(Type.Array(Type.String()), 'Shown once; each works once.') },
  { title: 'RecoveryCodes' },
)
export const MailFactorSetup = Type.Object(
  { challengeId: describe(Uuid, 'A code for it was mailed to the person.') },
  { title: 'MailFactorSetup' },
)
export const MailFactorBody = Type.Object(
  { challengeId: Uuid, code: Type.String({ pattern: '^[0-9]{6}$' }) },
  { title: 'MailFactorBody' },
)
export const RecoveryCodesLeft = Type.Object(
  { left: describe(Type.Integer(), 'Codes that are not used yet.') },
  { title: 'RecoveryCodesLeft' },
)
export const ResendVerificationBody = Type.Object(
  { email: EmailAddress },
  { title: 'ResendVerificationBody' },
)
export const FirstRecoveryCodes = Type.Object(
  {
    recoveryCodes: describe(
      nullable(Type.Array(Type.String())),
      'Shown once; each works once. Null: the person has a set already.',
    ),
  },
  { title: 'FirstRecoveryCodes' },
)
export const TwoFactorDisabled = Type.Object(
  { twoFactorEnabled: Type.Literal(false) },
  { title: 'TwoFactorDisabled' },
)

/** The password was right: the login that asks for the factor has this challenge. */
export const AskFactorRemovalBody = Type.Object(
  { challengeId: Uuid },
  { title: 'AskFactorRemovalBody' },
)
export const FactorRemoval = Type.Object({ removesAt: DateTime }, { title: 'FactorRemoval' })
export const KeepFactorBody = Type.Object({ token: MailToken }, { title: 'KeepFactorBody' })
export const FactorKept = Type.Object({ kept: Type.Literal(true) }, { title: 'FactorKept' })

export const ChangeEmailBody = Type.Object({ email: EmailAddress }, { title: 'ChangeEmailBody' })
export const ConfirmEmailBody = Type.Object({ token: MailToken }, { title: 'ConfirmEmailBody' })
export const EmailChanged = Type.Object({ email: Type.String() }, { title: 'EmailChanged' })
export const DeleteLoginBody = Type.Object({ password: Password }, { title: 'DeleteLoginBody' })
export const LoginDeleted = Type.Object({ deleted: Type.Literal(true) }, { title: 'LoginDeleted' })
