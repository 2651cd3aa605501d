// The approval callback of the demo merchant, from PAYOUT_CALLBACK_URL.

import type { Db } from '#infra/database/db'
import { CannotStart } from '#infra/process/cannot-start'
import type { Clock } from '#infra/process/clock'
import type { SecretBox } from '#infra/process/secrets'
import { findMerchantSettings, writeCallback } from '#payouts'
import { sealContext, urlProblem } from '#webhooks'

export interface DemoCallbackDeps {
  readonly db: Db
  readonly clock: Clock
  readonly secrets: SecretBox
  readonly webhooks: { readonly allowPrivate: boolean }
  readonly payoutCallbackUrl?: string | null
}

/** Set once: what the merchant changes later stays. */
export async function setDemoCallback(
  {
    db,
    clock,
    secrets,
    webhooks: { allowPrivate },
    payoutCallbackUrl: url = null,
  }: DemoCallbackDeps,
  merchantId: string,
  secret: string | null,
): Promise<void> {
  if (url === null || secret === null) return
  if ((await findMerchantSettings(db, merchantId)).callback !== null) return
  if (urlProblem(url, { allowPrivate }) !== null) {
    throw new CannotStart(
      `PAYOUT_CALLBACK_URL ${url} is not allowed: an https address of the public internet is needed, or ` +
        'WEBHOOK_ALLOW_PRIVATE.',
    )
  }
  const secretSealed = secrets.seal(secret, sealContext({ tenantId: merchantId }))
  await writeCallback(db, merchantId, { url: new URL(url).href, secretSealed }, clock.now())
}
