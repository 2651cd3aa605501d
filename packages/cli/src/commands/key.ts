// What the key may do, and what it has spent of its limit.
import { type Cli, type CommonOptions, command, show } from '../cli.ts'
import type { MerchantKey } from '../sdk.ts'
import { clean, moment } from '../text.ts'

export function addKey({ program, environment, session }: Cli): void {
  command(program, 'key', 'what the key may do, and what it has spent of its limit').action(
    async (options: CommonOptions) => {
      const { tradepost } = session(options)
      const key = await tradepost.merchant.key({ signal: environment.signal })
      show(environment, options, key, () => keyText(key))
    },
  )
}

function keyText(key: MerchantKey): string {
  const { name, scopes, accounts, expiresAt, spendLimit, spentCents, allowlist } = key
  const limit =
    spendLimit === null
      ? 'no limit'
      : `${dollars(spentCents)} of ${dollars(spendLimit.amountCents)} USD a ${spendLimit.window}`
  return [
    `name      ${clean(name)}`,
    `scopes    ${scopes.join(', ')}`,
    `accounts  ${accounts?.join(', ') ?? 'all'}`,
    `ends      ${expiresAt === null ? 'never' : `${moment(expiresAt)} UTC`}`,
    `spent     ${limit}`,
    `networks  ${allowlist.length > 0 ? allowlist.join(', ') : 'any'}`,
  ].join('\n')
}

const dollars = (amountCents: number): string => (amountCents / 100).toFixed(2)
