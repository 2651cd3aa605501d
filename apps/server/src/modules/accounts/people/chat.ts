// The link to a person's account at a chat platform, by OAuth 2.0 with state and PKCE (RFC 6749, RFC 7636,
// RFC 9700). Only the profile is read, once; the access token is not kept.
import type { Actor } from '#audit'
import { refuse } from '#kernel/refusal'
import { queueNotice } from '#mail'
import type { PeopleDeps } from './deps.ts'
import { MINUTE_MS } from './person.ts'
import type { ChatAccount, ChatPlatform } from './ports.ts'
import { recordOwn } from './record.ts'
import { lockHolder } from './session.ts'
import { deleteChatLink, insertChatRequest, setChatLink, spendChatRequest } from './store/chat.ts'
import { lockPerson } from './store/people.ts'
import { hashToken } from './token.ts'

const REQUEST_MINUTES = 10

export interface ChatDeps extends PeopleDeps {
  readonly chat: ChatPlatform
}

interface Holder {
  readonly personId: string
  readonly sessionId: string
  /** For the audit log. */
  readonly actor: Actor
}

/** The one address to which the platform sends browsers back. */
const redirectUriOf = ({ publicUrl }: PeopleDeps): string => `${publicUrl()}/dashboard/chat`

/** Where to send the browser. */
export async function beginChatLink(
  deps: ChatDeps,
  { sessionId }: Pick<Holder, 'sessionId'>,
): Promise<{ readonly authorizationUrl: string }> {
  const { db, clock, secrets, chat } = deps
  const { url, state, verifier } = await chat.authorize(redirectUriOf(deps))
  const at = clock.now()
  const stateHash = hashToken(state)
  await insertChatRequest(db, {
    ...{ stateHash, sessionId, at },
    sealedVerifier: secrets.seal(verifier, contextOf(stateHash)),
    expiresAt: new Date(at.getTime() + REQUEST_MINUTES * MINUTE_MS),
  })
  return { authorizationUrl: url }
}

/**
 * Links the account behind a code; it takes the place of one that was linked before. Refuses TOKEN_INVALID
 * for a state that is unknown, used, expired or of another session, and for a code that the platform
 * refuses; CHAT_UNAVAILABLE; CHAT_ACCOUNT_TAKEN when it is linked to another person.
 */
export async function finishChatLink(
  deps: ChatDeps,
  {
    personId,
    sessionId,
    actor,
    state,
    code,
  }: Holder & { readonly state: string; readonly code: string },
): Promise<ChatAccount> {
  const { db, clock, secrets, chat } = deps
  const stateHash = hashToken(state)
  // Spent before the code is exchanged: an answer that comes twice is exchanged once.
  const sealed = await spendChatRequest(db, { stateHash, sessionId, at: clock.now() })
  if (sealed === null) return refuse('TOKEN_INVALID')
  const verifier = secrets.open(sealed, contextOf(stateHash))
  const answer = await chat.readAccount({
    ...{ code, state, verifier },
    redirectUri: redirectUriOf(deps),
  })
  if (answer.kind === 'refused') return refuse('TOKEN_INVALID')
  if (answer.kind === 'unavailable') return refuse('CHAT_UNAVAILABLE')
  const { account } = answer
  await db.transaction(async (tx) => {
    const at = clock.now()
    const person = await lockHolder(tx, { personId, sessionId })
    const details = { name: account.username, at: at.toISOString() }
    await queueNotice(tx, { to: person.email, template: 'chat_linked', details, at })
    if (!(await setChatLink(tx, { personId, account, at }))) refuse('CHAT_ACCOUNT_TAKEN')
    const linked = { name: account.username, id: account.id }
    await recordOwn(tx, actor, { act: 'person.link_chat', details: linked, at })
  })
  return account
}

/** Refuses NOT_FOUND when none is linked. */
export const unlinkChat = (
  { db, clock }: PeopleDeps,
  { personId, actor }: Pick<Holder, 'personId' | 'actor'>,
): Promise<void> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const person = await lockPerson(tx, personId)
    const name = person && (await deleteChatLink(tx, personId))
    if (!name) return refuse('NOT_FOUND')
    const details = { name, at: at.toISOString() }
    await recordOwn(tx, actor, { act: 'person.unlink_chat', details: { name }, at })
    await queueNotice(tx, { to: person.email, template: 'chat_unlinked', details, at })
  })

const contextOf = (stateHash: Buffer): string => `chat ${stateHash.toString('hex')}`
