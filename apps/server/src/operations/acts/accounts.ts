// What an operator decides about accounts and their keys.
import type { Actor } from '#audit'
import { changesOf, recordAct } from '#audit'
import {
  changeKey,
  createMerchant,
  createPartner,
  type DeletionDeps,
  deleteSubUser,
  findKeysById,
  isEmailTaken,
  issueKey,
  type KeyChange,
  type KeyEnvironment,
  type KeyKind,
  type KeySummary,
  lockKey,
  lockKeyCounts,
  lockSettings,
  type MerchantFees,
  type NewMerchant,
  type NewPartner,
  refuseUnknownAccounts,
  revokeKey,
  rotateKey,
  setAccountName,
  setAccountStatus,
  setDebtRecovery,
  setFees,
  setSpendLimit,
  setTier,
  type Tier,
} from '#identity'
import type { Tx } from '#infra/database/db'
import { newId } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import { notifyMembers } from '#people'
import { readGlobalDefaultBps, writeGlobalDefaultBps } from '#pricing'
import { type ActDeps, perform, transactionOf } from './act.ts'

const accountSubject = (id: string) => ({ type: 'account', id })

/** Refuses VALIDATION_FAILED when another merchant, partner or administrator has the e-mail address. */
export const openMerchant = (
  deps: ActDeps,
  actor: Actor,
  merchant: Omit<NewMerchant, 'at'>,
): Promise<string> =>
  withOwnEmail(() =>
    transactionOf(deps.db, actor, async (tx) => {
      const at = deps.clock.now()
      const { id } = await createMerchant(tx, { ...merchant, at })
      const subject = accountSubject(id)
      await recordAct(tx, { actor, act: 'account.create', subject, details: { ...merchant }, at })
      return id
    }),
  )

/** Refuses VALIDATION_FAILED when another merchant, partner or administrator has the e-mail address. */
export const openPartner = (
  deps: ActDeps,
  actor: Actor,
  partner: Omit<NewPartner, 'at'>,
): Promise<string> =>
  withOwnEmail(() =>
    transactionOf(deps.db, actor, async (tx) => {
      const at = deps.clock.now()
      const { id } = await createPartner(tx, { ...partner, at })
      const subject = accountSubject(id)
      const details = { kind: 'partner', ...partner }
      await recordAct(tx, { actor, act: 'account.create', subject, details, at })
      return id
    }),
  )

/** Refuses VALIDATION_FAILED when another account has the e-mail address that `open` takes. */
export async function withOwnEmail<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    if (!isEmailTaken(error)) throw error
    const message = 'the e-mail address is taken'
    return refuse('VALIDATION_FAILED', {
      errors: [{ in: 'body', pointer: '/email', rule: 'unique', message }],
    })
  }
}

/** How much an account may request a minute. Refuses USER_NOT_FOUND. */
export const changeTier = (
  deps: ActDeps,
  actor: Actor,
  { accountId, tier }: { accountId: string; tier: Tier },
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'account.set_tier', subject: accountSubject(accountId), details: { tier } },
    async (tx, at, note) => {
      note({ changes: changesOf({ ...(await lockSettings(tx, accountId)) }, { tier }) })
      if (!(await setTier(tx, accountId, tier, at))) refuse('USER_NOT_FOUND')
    },
  )

/**
 * Whether debts of its users that are older than a day are taken from its spot wallet. Refuses USER_NOT_FOUND
 * for what is no merchant or partner.
 */
export const changeDebtRecovery = (
  deps: ActDeps,
  actor: Actor,
  {
    accountId,
    recoversDebts,
    reason,
  }: { accountId: string; recoversDebts: boolean; reason: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: 'account.set_debt_recovery',
      subject: accountSubject(accountId),
      details: { recoversDebts, reason },
    },
    async (tx, at, note) => {
      note({ changes: changesOf({ ...(await lockSettings(tx, accountId)) }, { recoversDebts }) })
      await setDebtRecovery(tx, accountId, recoversDebts, at)
    },
  )

/** Fees of a merchant, a partner or a child; what is left out stays. Refuses USER_NOT_FOUND. */
export const changeFees = (
  deps: ActDeps,
  actor: Actor,
  {
    accountId,
    fees,
    reason = null,
  }: { accountId: string; fees: Partial<MerchantFees>; reason?: string | null },
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: 'account.set_fees',
      subject: accountSubject(accountId),
      details: { ...fees, ...(reason !== null && { reason }) },
    },
    async (tx, at, note) => {
      note({ changes: changesOf({ ...(await lockSettings(tx, accountId)) }, { ...fees }) })
      await setFees(tx, accountId, fees, at)
    },
  )

/** The service fee where neither the account nor its merchant or partner has one. */
export const changeGlobalDefault = (
  deps: ActDeps,
  actor: Actor,
  feeBps: number,
  reason: string | null = null,
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: 'fees.set_default',
      subject: { type: 'fees', id: null },
      details: { feeBps, ...(reason !== null && { reason }) },
    },
    async (tx, at, note) => {
      note({ changes: changesOf({ feeBps: await readGlobalDefaultBps(tx) }, { feeBps }) })
      await writeGlobalDefaultBps(tx, feeBps, at)
    },
  )

/** A suspended account reads; it opens nothing new. What is under way goes on. Refuses USER_NOT_FOUND. */
export const changeStatus = (
  deps: ActDeps,
  actor: Actor,
  {
    accountId,
    status,
    reason,
  }: { accountId: string; status: 'active' | 'suspended'; reason: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: status === 'active' ? 'account.reactivate' : 'account.suspend',
      subject: accountSubject(accountId),
      details: { reason },
    },
    async (tx, at, note) => {
      note({ changes: changesOf({ ...(await lockSettings(tx, accountId)) }, { status }) })
      await setAccountStatus(tx, accountId, status, at)
      const account = { id: accountId, about: 'everything' } as const
      const details = { reason, at: at.toISOString() }
      const template = status === 'active' ? 'account_reactivated' : 'account_suspended'
      await notifyMembers(tx, account, { template, details, at })
    },
  )

/** Refuses USER_NOT_FOUND for what is no merchant or partner. */
export const renameAccount = (
  deps: ActDeps,
  actor: Actor,
  { accountId, name }: { readonly accountId: string; readonly name: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'account.rename', subject: accountSubject(accountId), details: { name } },
    async (tx, at, note) => {
      const was = await setAccountName(tx, accountId, name, at)
      note({ changes: changesOf({ name: was }, { name }) })
    },
  )

/**
 * Deletes a child, or a sub-user, that has nothing left. Refuses USER_NOT_FOUND for any other account, and
 * USER_HAS_FUNDS_OR_OPEN_TRADES.
 */
export const deleteAccount = (
  deps: ActDeps & DeletionDeps,
  actor: Actor,
  { accountId, reason }: { readonly accountId: string; readonly reason: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'account.delete', subject: accountSubject(accountId), details: { reason } },
    async (tx, at) => {
      const { kind } = await lockSettings(tx, accountId)
      if (kind !== 'child' && kind !== 'sub_user') refuse('USER_NOT_FOUND')
      await deleteSubUser(tx, accountId, at, deps)
    },
  )

export interface IssuedKey {
  readonly id: string
  /** Shown once. */
  readonly secret: string
}

/** Of one account: its list shows all of them. */
const MOST_KEYS = 100
/** Of one account in a day, rotations included: each is mailed to its developers and owners. */
const KEYS_A_DAY = 50

/**
 * Refuses VALIDATION_FAILED above a hundred good keys, RATE_LIMITED above fifty new ones in a day, and
 * USER_NOT_FOUND for accounts that are not all sub-users of the merchant.
 */
export const issueAccountKey = (
  deps: ActDeps,
  actor: Actor,
  order: {
    readonly accountId: string
    readonly kind: KeyKind
    readonly name: string
    readonly allowlist: readonly string[]
    readonly environment: KeyEnvironment
  } & Pick<KeyChange, 'scopes' | 'accounts' | 'endsAt' | 'spendLimit'>,
): Promise<IssuedKey> =>
  transactionOf(deps.db, actor, async (tx) => {
    const at = deps.clock.now()
    const { accountId, kind, name, allowlist, environment } = order
    const { scopes = null, accounts = null, endsAt = null, spendLimit = null } = order
    const { good, ofDay } = await lockKeyCounts(tx, accountId, at)
    if (good >= MOST_KEYS) refuseManyKeys()
    if (ofDay >= KEYS_A_DAY) refuseKeysOfDay()
    if (accounts !== null) await refuseUnknownAccounts(tx, accountId, accounts)
    const spendLimitId = spendLimit && newId(at.getTime())
    if (spendLimit && spendLimitId) await setSpendLimit(tx, spendLimitId, spendLimit, at)
    const bounds = { scopes, accounts, endsAt, spendLimitId }
    const key = { accountId, kind, name, allowlist, environment }
    const issued = await issueKey(tx, { ...key, bounds, at })
    const subject = { type: 'api_key', id: issued.id }
    const details = {
      accountId,
      kind,
      name,
      allowlist,
      ...noted({ scopes, accounts, endsAt, spendLimit }),
    }
    await recordAct(tx, { actor, act: 'key.issue', subject, details, accountId, at })
    await reportKey(tx, issued.id, { template: 'key_created', at })
    return issued
  })

/** What is left out stays. `allowlist` in CIDR form. Refuses NOT_FOUND and USER_NOT_FOUND. */
export const changeAccountKey = (
  deps: ActDeps,
  actor: Actor,
  {
    keyId,
    ...change
  }: {
    readonly keyId: string
  } & KeyChange,
): Promise<KeySummary> =>
  perform(
    deps,
    actor,
    { act: 'key.change', subject: { type: 'api_key', id: keyId }, details: noted(change) },
    async (tx, at, note) => {
      const was = await lockKey(tx, keyId)
      note({ accountId: was.accountId, changes: changesOf(noted(was), noted(change)) })
      return changeKey(tx, keyId, change, at)
    },
  )

/** As JSON shows it. */
const noted = <Bounds extends Pick<KeyChange, 'spendLimit'>>({
  spendLimit,
  ...bounds
}: Bounds) => ({
  ...bounds,
  ...(spendLimit !== undefined && {
    spendLimit: spendLimit && { ...spendLimit, amountCents: Number(spendLimit.amountCents) },
  }),
})

/**
 * The old key is valid for the overlap. Refuses NOT_FOUND for a key that is not active, and RATE_LIMITED
 * above fifty new keys in a day.
 */
export const rotateAccountKey = (
  deps: ActDeps,
  actor: Actor,
  order: {
    readonly keyId: string
    readonly overlapHours: number
    readonly environment: KeyEnvironment
  },
): Promise<IssuedKey> =>
  perform(
    deps,
    actor,
    {
      act: 'key.rotate',
      subject: { type: 'api_key', id: order.keyId },
      details: { overlapHours: order.overlapHours },
    },
    async (tx, at, note) => {
      // The account before its key, as where an account is closed.
      const [key] = await findKeysById(tx, { ids: [order.keyId], accountId: null })
      const { accountId } = key ?? refuse('NOT_FOUND')
      note({ accountId })
      if ((await lockKeyCounts(tx, accountId, at)).ofDay >= KEYS_A_DAY) refuseKeysOfDay()
      const overlapUntil = new Date(at.getTime() + order.overlapHours * 3_600_000)
      const { overlapHours, environment } = order
      const issued = await rotateKey(tx, order.keyId, { overlapUntil, environment, at })
      await reportKey(tx, issued.id, { template: 'key_rotated', overlapHours, at })
      return issued
    },
  )

const refuseManyKeys = (): never =>
  refuse('VALIDATION_FAILED', {
    errors: [
      {
        ...{ in: 'body', pointer: '', rule: 'maxItems' },
        message: `an account has at most ${MOST_KEYS} keys: revoke one that is not used`,
      },
    ],
  })

const refuseKeysOfDay = (): never =>
  refuse('RATE_LIMITED', {
    ...{ scope: 'route', policy: 'keys', limit: KEYS_A_DAY },
    ...{ windowSeconds: 86_400, retryAfterSeconds: 3600 },
  })

/** A key that its owners do not know of is the first sign of a theft. */
async function reportKey(
  tx: Tx,
  keyId: string,
  event:
    | { readonly template: 'key_created'; readonly at: Date }
    | { readonly template: 'key_rotated'; readonly overlapHours: number; readonly at: Date },
): Promise<void> {
  const { accountId, name, last4 } = await lockKey(tx, keyId)
  const account = { id: accountId, about: 'development' } as const
  const { at } = event
  const key = { name, last4, at: at.toISOString() }
  if (event.template === 'key_created') {
    return notifyMembers(tx, account, { template: event.template, details: key, at })
  }
  const details = { ...key, overlapHours: event.overlapHours }
  await notifyMembers(tx, account, { template: event.template, details, at })
}

/** From the commit on; every process forgets the key at once. Refuses NOT_FOUND. */
export const revokeAccountKey = (
  deps: ActDeps,
  actor: Actor,
  { keyId, reason }: { keyId: string; reason: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'key.revoke', subject: { type: 'api_key', id: keyId }, details: { reason } },
    async (tx, at, note) => {
      const { accountId, status } = await lockKey(tx, keyId)
      note({ accountId, changes: changesOf({ status }, { status: 'revoked' }) })
      await revokeKey(tx, keyId, at)
    },
  )
