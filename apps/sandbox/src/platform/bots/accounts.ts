import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import { throwHex } from '../../kernel/dice.ts'
import type { Store } from '../../store/store.ts'
import { personaOf, platformIdOf } from '../persona.ts'

/** An account of the broker. Its secrets follow from the seed. */
export interface BotAccount {
  readonly accountId: number
  readonly platformId: string
  readonly accountName: string
  readonly sharedSecret: string
  readonly identitySecret: string
}

export interface BotAccounts {
  readonly list: readonly BotAccount[]
  find(platformId: string): BotAccount | undefined
  /** The refresh token that is good now: each renewal spoils the one before. */
  refreshToken(bot: BotAccount): string
  /** Null when the refresh token is not, or is no longer, good. */
  login(
    refreshToken: string,
    mayRenew: boolean,
  ): { readonly accessToken: string; readonly refreshToken: string | null } | null
  holderOf(accessToken: string | undefined): BotAccount | null
  /** Every access token of the bot is worthless from now on. */
  endSessions(bot: BotAccount): void
  /** False for a wrong confirmation key, one out of time, or one that was used before. */
  spendConfirmationKey(
    bot: BotAccount,
    key: { readonly key: string; readonly timeSeconds: number; readonly tag: string },
  ): boolean
}

interface Session {
  /** Number of the refresh token that is good. */
  renewals: number
  /** When it was issued; null for the first one. */
  renewedAtSeconds: number | null
  /** Number of the sessions that are good. */
  epoch: number
}

const FIRST_BOT = 1_999_000_001
const REFRESH_SECONDS = 200 * 86_400
const FIRST_SECONDS = 20 * 365 * 86_400
const ACCESS_SECONDS = 86_400
/** The platform forgives clocks that are a few minutes off. */
const KEY_WINDOW_SECONDS = 300

export function createBotAccounts(options: {
  readonly count: number
  readonly seed: number
  readonly store: Store
  readonly clock: Clock
}): BotAccounts {
  const { store, clock, seed } = options
  const list = Array.from({ length: options.count }, (_, index) => makeBot(seed, index))
  const stored = store.readSetting('bot_sessions')
  const sessions = new Map<string, Session>(
    stored === null ? [] : Object.entries(JSON.parse(stored) as Record<string, Session>),
  )
  const usedKeys = new Set<string>()
  const nowSeconds = (): number => Math.floor(clock.nowMs() / 1000)
  const sessionOf = ({ platformId }: BotAccount): Session =>
    sessions.get(platformId) ?? { renewals: 0, renewedAtSeconds: null, epoch: 0 }
  const write = ({ platformId }: BotAccount, session: Session): void => {
    sessions.set(platformId, session)
    store.writeSetting('bot_sessions', JSON.stringify(Object.fromEntries(sessions)))
  }
  const find = (platformId: string): BotAccount | undefined =>
    list.find((bot) => bot.platformId === platformId)

  const refreshToken = (bot: BotAccount): string => {
    const { renewals, renewedAtSeconds } = sessionOf(bot)
    const issuedAt = renewedAtSeconds ?? FIRST_ISSUED_SECONDS
    return sign(seed, {
      iss: 'steam',
      sub: bot.platformId,
      aud: ['web', 'renew', 'derive', 'mobile'],
      iat: issuedAt,
      nbf: issuedAt,
      // The first one is older than the installation, and must work for as long as it does.
      exp: issuedAt + (renewedAtSeconds === null ? FIRST_SECONDS : REFRESH_SECONDS),
      jti: `refresh-${renewals}`,
    })
  }
  const accessToken = (bot: BotAccount): string =>
    sign(seed, {
      iss: `r:${bot.platformId}`,
      sub: bot.platformId,
      aud: ['web', 'mobile'],
      iat: nowSeconds(),
      nbf: nowSeconds(),
      exp: nowSeconds() + ACCESS_SECONDS,
      jti: `access-${sessionOf(bot).epoch}`,
    })

  return {
    list,
    find,
    refreshToken,
    login(token, mayRenew) {
      const claims = verify(seed, token)
      const bot = find(claims?.sub ?? '')
      if (claims === null || bot === undefined || claims.exp < nowSeconds()) return null
      const session = sessionOf(bot)
      if (claims.jti !== `refresh-${session.renewals}`) return null
      if (!mayRenew) return { accessToken: accessToken(bot), refreshToken: null }
      write(bot, {
        ...session,
        renewals: session.renewals + 1,
        renewedAtSeconds: nowSeconds(),
      })
      return { accessToken: accessToken(bot), refreshToken: refreshToken(bot) }
    },
    holderOf(token) {
      const claims = token === undefined ? null : verify(seed, token)
      const bot = find(claims?.sub ?? '')
      if (claims === null || bot === undefined || claims.exp < nowSeconds()) return null
      return claims.jti === `access-${sessionOf(bot).epoch}` ? bot : null
    },
    endSessions(bot) {
      const session = sessionOf(bot)
      write(bot, { ...session, epoch: session.epoch + 1 })
    },
    spendConfirmationKey(bot, { key, timeSeconds, tag }) {
      if (Math.abs(timeSeconds - nowSeconds()) > KEY_WINDOW_SECONDS) return false
      if (!isSame(key, confirmationKey(bot.identitySecret, timeSeconds, tag))) return false
      const use = `${bot.platformId} ${timeSeconds} ${tag}`
      if (usedKeys.has(use)) return false
      usedKeys.add(use)
      return true
    },
  }
}

/** When the first refresh tokens were issued: before any sandbox was started. */
const FIRST_ISSUED_SECONDS = Date.UTC(2026, 0, 1) / 1000

function makeBot(seed: number, index: number): BotAccount {
  const accountId = FIRST_BOT + index
  const secret = (what: string): string =>
    Buffer.from(throwHex(40, 'bot', what, seed, accountId), 'hex').toString('base64')
  return {
    accountId,
    platformId: platformIdOf(accountId),
    accountName: `${personaOf(accountId).name.toLowerCase()}_bot`,
    sharedSecret: secret('shared'),
    identitySecret: secret('identity'),
  }
}

interface Claims {
  readonly sub: string
  readonly exp: number
  readonly jti: string
}

function sign(seed: number, claims: Claims & Record<string, unknown>): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ typ: 'JWT', alg: 'HS256' })}.${part(claims)}`
  return `${text}.${signatureOf(seed, text)}`
}

function verify(seed: number, token: string): Claims | null {
  const [header = '', claims = '', signature = ''] = token.split('.')
  if (!isSame(signature, signatureOf(seed, `${header}.${claims}`))) return null
  return JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as Claims
}

const signatureOf = (seed: number, text: string): string =>
  createHmac('sha256', `sandbox platform ${seed}`).update(text).digest('base64url')

/** HMAC-SHA1 of the time, 8 bytes big-endian, and the tag. */
function confirmationKey(identitySecret: string, timeSeconds: number, tag: string): string {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(timeSeconds))
  return createHmac('sha1', Buffer.from(identitySecret, 'base64'))
    .update(Buffer.concat([time, Buffer.from(tag)]))
    .digest('base64')
}

function isSame(one: string, other: string): boolean {
  const left = Buffer.from(one)
  const right = Buffer.from(other)
  return left.length === right.length && timingSafeEqual(left, right)
}
