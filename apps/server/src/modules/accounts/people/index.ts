// People: who logs in, how they prove it, what they may do.
export {
  type AnswerAnonymousRequestsDeps,
  answerAnonymousRequests,
} from './answer-anonymous-requests.ts'
export { type Challenge, mailCode } from './challenge.ts'
export { confirmEmailChange, requestEmailChange } from './change-email.ts'
export { beginChatLink, finishChatLink, unlinkChat } from './chat.ts'
export type { PeopleDeps } from './deps.ts'
export { DEVICE_DAYS, newDevice } from './device.ts'
export { endOtherSessions, endSession, logOut } from './end-sessions.ts'
export {
  type AnnouncingDeps,
  askForFactorRemoval,
  keepFactor,
  keepFactorByLink,
  removeFactorsOf,
  workFactorRemovals,
} from './factor-removal.ts'
export {
  beginImpersonation,
  endImpersonation,
  type Impersonation,
  recallImpersonation,
} from './impersonation.ts'
export { giveSecondFactor, type LoginOrder, logIn, requireFreshFactor } from './log-in.ts'
export {
  acceptInvitation,
  changeRole,
  closeTeam,
  deletePerson,
  type InvitationOrder,
  inviteMember,
  leaveTeam,
  lockCapabilities,
  type MemberOrder,
  readInvitation,
  removeMember,
  revokeInvitation,
  type SentInvitation,
  type ShownInvitation,
} from './members.ts'
export { notifyAdministrators, notifyMembers } from './notify-members.ts'
export {
  type AddedPasskey,
  addPasskey,
  beginPasskey,
  beginPasskeyUse,
  type Ceremony,
  listPasskeys,
  removePasskey,
  renamePasskey,
  usePasskey,
} from './passkeys.ts'
export { createPasswords, type Passwords } from './password.ts'
export {
  changePassword,
  checkPassword,
  forgetPassword,
  resetPassword,
} from './passwords.ts'
export {
  type AccountKind,
  type Capability,
  type ChallengeMethod,
  type CodeMethod,
  capabilitiesOf,
  hasFactor,
  hasStrongFactor,
  type MemberRole,
  type Membership,
  type Origin,
  type Person,
  type TwoFactorMethod,
} from './person.ts'
export type { ChatAccount, ChatPlatform } from './ports.ts'
export { proveAdministrator } from './prove-administrator.ts'
export { purgeLogins } from './purge.ts'
export {
  AddressTaken,
  addPerson,
  LINK_HOURS,
  type OpenAccount,
  register,
  resendVerification,
  verifyEmail,
} from './register.ts'
export {
  type BegunSession,
  type FoundSession,
  type Holder,
  recallSession,
  refreshSession,
  type Session,
  switchAccount,
} from './session.ts'
export {
  ANONYMOUS_REQUESTS_WAIT,
  listWaitingAnonymousRequests,
} from './store/anonymous-requests.ts'
export { findChatLink } from './store/chat.ts'
export { type Invitation, listInvitations } from './store/invitations.ts'
export {
  findOwner,
  listMembers,
  listMemberships,
  type Member,
  type Owner,
} from './store/members.ts'
export type { PasskeyRow as Passkey } from './store/passkeys.ts'
export { findPersonId, readPersonEmails } from './store/people.ts'
export { listSessions, type SessionSummary, sessionReadsAccount } from './store/sessions.ts'
export type { SavedView, ViewHolder } from './store/views.ts'
export { csrfTokenOf, isCsrfToken } from './token.ts'
export {
  beginMailFactor,
  beginTotp,
  countRecovery,
  disableTwoFactor,
  enableMailFactor,
  enableTotp,
  renewRecoveryCodes,
} from './two-factor.ts'
export { deleteView, listViews, renameView, saveView } from './views.ts'
export type { CreationOptions, NewCredential, RequestOptions, UsedCredential } from './webauthn.ts'
