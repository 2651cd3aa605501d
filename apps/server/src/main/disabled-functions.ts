// What this installation does not do, because settings are missing.
import type { Config } from './config.ts'

export interface DisabledFunction {
  readonly name: string
  /** The settings that would enable it, all of them together. */
  readonly settings: readonly string[]
}

/** None with the sandbox, which stands for every supplier. */
export function disabledFunctions({
  environment,
  depositXpub,
  signerSocket,
}: Pick<Config, 'environment' | 'depositXpub' | 'signerSocket'>): DisabledFunction[] {
  if (environment.kind === 'sandbox') return []
  const { mail, bots, gateway, onramp, chat, chains } = environment
  const all: readonly [isOn: boolean, name: string, ...settings: string[]][] = [
    [mail.kind !== 'off', 'mail', 'SMTP_URL'],
    [bots.kind !== 'secret' || bots.list !== null, 'sells (bots)', 'PLATFORM_BOTS'],
    [gateway !== null, 'gateway deposits', 'GATEWAY_KEY', 'GATEWAY_SECRET', 'GATEWAY_FEE_BPS'],
    [
      ...([onramp !== null, 'card deposits', 'ONRAMP_KEY', 'ONRAMP_SECRET'] as const),
      ...['ONRAMP_APP_ID', 'ONRAMP_WALLET'],
    ],
    [chains.length > 0, 'chains', 'CHAIN_<ID>_RPC_URLS'],
    [depositXpub !== null, 'chain deposits', 'DEPOSIT_XPUB'],
    [signerSocket !== null, 'withdrawals', 'SIGNER_SOCKET'],
    [chat !== null, 'chat links', 'CHAT_CLIENT_ID', 'CHAT_CLIENT_SECRET'],
  ]
  return all.flatMap(([isOn, name, ...settings]) => (isOn ? [] : [{ name, settings }]))
}
