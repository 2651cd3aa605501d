// Where a merchant approves its withdrawals, where that is not its webhook endpoint. Secrets are shown to who
// sets them and never enter the audit log.
import { type Actor, changesOf } from '#audit'
import type { Tx } from '#infra/database/db'
import { refuse } from '#kernel/refusal'
import { lockMerchantSettings, type MerchantSettings, writeCallback } from '#payouts'
import { notifyMembers } from '#people'
import {
  allowedUrl,
  type EndpointDeps,
  type HostRules,
  newSecret,
  type OverlapHours,
  overlapUntil,
  refuseHost,
  sealContext,
} from '#webhooks'
import { type ActDeps, perform } from './act.ts'
import { withoutSecrets } from './webhooks.ts'

type SettingDeps = ActDeps & Pick<EndpointDeps, 'secrets'> & HostRules

const accountOf = (id: string) => ({ type: 'account', id })

/**
 * Sets the URL, by the rules for webhook endpoints. Returns the secret of the first URL, shown this once;
 * null where another URL goes on with the known one. A webhook endpoint's secret is never used: who may see
 * that one need not be who may move money. Refuses VALIDATION_FAILED.
 */
export const setPayoutCallback = async (
  deps: SettingDeps,
  actor: Actor,
  { merchantId, url }: { readonly merchantId: string; readonly url: string },
): Promise<string | null> => {
  await refuseHost(deps, url)
  return perform(
    deps,
    actor,
    {
      ...{ act: 'payout.set_callback', subject: accountOf(merchantId) },
      details: { url: withoutSecrets(url) },
    },
    async (tx, at, note) => {
      const allowed = allowedUrl(url, deps)
      const { callback } = await lockMerchantSettings(tx, merchantId, at)
      note({ changes: changesOf(shown(callback), { url: withoutSecrets(url) }) })
      const secret = newSecret()
      const secretSealed =
        callback?.secretSealed ?? deps.secrets.seal(secret, sealContext({ tenantId: merchantId }))
      await writeCallback(tx, merchantId, { ...callback, url: allowed, secretSealed }, at)
      await notifyOfUrl(tx, merchantId, withoutSecrets(url), at)
      return callback === null ? secret : null
    },
  )
}

/** Withdrawals are approved at the webhook endpoint again, if there is one. Refuses NOT_FOUND. */
export const clearPayoutCallback = (
  deps: ActDeps,
  actor: Actor,
  merchantId: string,
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'payout.clear_callback', subject: accountOf(merchantId), details: {} },
    async (tx, at, note) => {
      const { callback } = await lockMerchantSettings(tx, merchantId, at)
      if (callback === null) return refuse('NOT_FOUND')
      note({ changes: changesOf(shown(callback), { url: null }) })
      await writeCallback(tx, merchantId, null, at)
      await notifyOfUrl(tx, merchantId, null, at)
    },
  )

/**
 * A new secret; the one before signs beside it for the overlap. Refuses NOT_FOUND without a callback.
 */
export const rotatePayoutCallbackSecret = (
  deps: Omit<SettingDeps, keyof HostRules>,
  actor: Actor,
  {
    merchantId,
    overlapHours,
  }: { readonly merchantId: string; readonly overlapHours: OverlapHours },
): Promise<string> =>
  perform(
    deps,
    actor,
    {
      ...{ act: 'payout.rotate_callback_secret', subject: accountOf(merchantId) },
      details: { overlapHours },
    },
    async (tx, at) => {
      const { callback } = await lockMerchantSettings(tx, merchantId, at)
      if (callback === null) return refuse('NOT_FOUND')
      const secret = newSecret()
      const until = overlapUntil(at, overlapHours)
      const next = {
        url: callback.url,
        secretSealed: deps.secrets.seal(secret, sealContext({ tenantId: merchantId })),
        previousSecretSealed: until && callback.secretSealed,
        previousSecretUntil: until,
      }
      await writeCallback(tx, merchantId, next, at)
      return secret
    },
  )

/** The entry is committed before the request is sent. */
export const notePayoutCallbackTest = (
  deps: ActDeps,
  actor: Actor,
  merchantId: string,
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'payout.test_callback', subject: accountOf(merchantId), details: {} },
    async () => {},
  )

async function notifyOfUrl(
  tx: Tx,
  merchantId: string,
  url: string | null,
  at: Date,
): Promise<void> {
  const details = { url, at: at.toISOString() }
  const readers = { id: merchantId, about: 'money' } as const
  await notifyMembers(tx, readers, { template: 'payout_callback_set', details, at })
}

const shown = (callback: MerchantSettings['callback']): { readonly url: string | null } => ({
  url: callback && withoutSecrets(callback.url),
})
