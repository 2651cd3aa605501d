// The forms that settings have: how a text is read, and what it must be when it cannot be read.
import { isIP } from 'node:net'
import { inspect } from 'node:util'
import { type TCodec, type TString, Type } from 'typebox'
import { getAddress, isAddress } from 'viem/utils'
import type { Address } from '#kernel/chain'

/** A text that cannot be printed by accident. */
export class Secret {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  reveal(): string {
    return this.#text
  }
  toString(): string {
    return '[secret]'
  }
  toJSON(): string {
    return '[secret]'
  }
  [inspect.custom](): string {
    return '[secret]'
  }
}

/** What the schema of a setting says beside its description and its default. */
interface Traits {
  /** What it may be, where a short text says so. */
  readonly form?: string
  /** The value is never shown, and may also be given as a file by `<NAME>_FILE`. */
  readonly secret?: boolean
  /** The file must be readable by its owner only. */
  readonly ownFile?: boolean
}

/** A text of the environment, and the value that it is decoded to; the default is such a value. */
export type Setting<Value> = TCodec<TString, Value> &
  Traits & {
    readonly description: string
    readonly default?: Value
    /** The end of `PORT must be ...`. */
    readonly must: string
  }

/** Settings of one form. Without a default an unset variable is null. */
type Form<Value> = <Unset extends Value | null = null>(
  description: string,
  unset?: Unset,
) => Setting<Value | Unset>

const formOf =
  <Value>(
    must: string,
    isValid: (text: string) => boolean,
    decode: (text: string) => Value,
    traits: Traits = {},
  ): Form<Value> =>
  <Unset>(description: string, unset?: Unset) => {
    const schema = Type.String({ description, default: unset, must, ...traits })
    return Type.Decode(Type.Refine(schema, isValid), decode) as unknown as Setting<Value | Unset>
  }

const asIs = (value: string): string => value
const listOf = (value: string): string[] => value.split(',').map((part) => part.trim())
const isHttpUrl = (value: string): boolean =>
  URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

export const integer = (min: number, max: number): Form<number> =>
  formOf(
    `an integer from ${min} to ${max}`,
    (value) => /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max,
    Number,
    { form: `${min} to ${max}` },
  )

export const share = formOf(
  'a number from 0 to 1',
  (value) => /^(0|1)?([.]\d{1,9})?$/.test(value) && Number(value) <= 1,
  Number,
  { form: '0 to 1' },
)

export const text = formOf('a text', () => true, asIs)

/** Of an address, for example. */
export const textLines: Form<readonly string[]> = formOf(
  'lines, separated by semicolons',
  () => true,
  (value) =>
    value
      .split(';')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
)

export const choice = <const Values extends readonly string[]>(
  ...values: Values
): Form<Values[number]> =>
  formOf(
    `one of ${values.join(', ')}`,
    (value) => values.includes(value),
    (value) => value as Values[number],
    { form: values.join(', ') },
  )

const YES = ['1', 'true', 'yes', 'on']
const NO = ['0', 'false', 'no', 'off']
export const flag = formOf(
  'true or false',
  (value) => YES.includes(value) || NO.includes(value),
  (value) => YES.includes(value),
  { form: 'true, false' },
)

export const httpUrl = formOf('an http or https URL', isHttpUrl, withoutSlash)

/** A slash at its end says that it is a folder. */
export const fileOrFolderUrl = formOf('an http or https URL', isHttpUrl, asIs)

/** One line of visible ASCII, because it becomes a line of a file. */
export const contactUri = formOf(
  'a mailto:, https: or tel: URI',
  (value) => /^(mailto:|https:\/\/|tel:)[!-~]+$/.test(value) && URL.canParse(value),
  asIs,
)

/** Addresses of nodes often contain the key of an account. */
const rpcUrls = formOf(
  'http or https URLs, separated by commas',
  (value) => listOf(value).every(isHttpUrl),
  (value): readonly Secret[] => listOf(value).map((url) => new Secret(url)),
  { secret: true },
)

export const nodesOf = (chain: string): Setting<readonly Secret[] | null> =>
  rpcUrls(
    `JSON-RPC addresses of nodes of ${chain}, the preferred one first, separated by commas. Unset: the ` +
      'chain is switched off; with the sandbox, its node.',
  )

export const secondNodesOf = (chain: string): Setting<readonly Secret[] | null> =>
  rpcUrls(
    `Nodes of ${chain} at another operator, which confirm large deposits and failed payments, and are asked while the first do not answer.`,
  )

/** A person's browser is led there, so it is https and nothing but an origin and a path. */
const explorerUrl = formOf(
  'an https URL without user, query and fragment',
  (value) => {
    const url = URL.parse(value)
    return url?.protocol === 'https:' && `${url.origin}${url.pathname}` === url.href
  },
  (value) => withoutSlash(new URL(value).href),
)

export const explorerOf = (chain: string, known: string): Setting<string | null> =>
  explorerUrl(
    `Block explorer of ${chain}, to which pages link hashes (\`/tx/…\`) and addresses (\`/address/…\`). ` +
      `Unset: ${known}; with the sandbox, none.`,
  )

/** In wei; the bounds leave room for any market, and for no slip of units. */
export const mostFeeOf = (chain: string, fallback: number): Setting<number> =>
  integer(1_000_000, 100_000_000_000_000)(
    `Wei for a unit of gas that a transaction of ours on ${chain} offers at most. Above it a new one waits, ` +
      'and one that was sent is not replaced.',
    fallback,
  )

export const tracesOf = (chain: string): Setting<'auto' | 'off'> =>
  choice('auto', 'off')(
    `Whether nodes of ${chain} are asked for traces of blocks, which show native coin that contracts send. ` +
      'With `off`, and where no node offers them, such coin is found by the balances of addresses and waits for an operator.',
    'auto',
  )

export const callsPerSecondOf = (chain: string): Setting<number> =>
  integer(0, 10_000)(
    `Calls a second that one process makes to each address of a node of ${chain}, each call of a batch counted; 0, and with the sandbox: no limit.`,
    25,
  )

export const startBlockOf = (chain: string): Setting<number | null> =>
  integer(
    0,
    1_000_000_000_000,
  )(
    `The number of the block after which ${chain} is searched for deposits when it is scanned for the first time. ` +
      'Unset: the newest one at that moment. Later it changes nothing.',
  )

export const secret = (
  must: string,
  isValid: (value: string) => boolean,
  traits: Traits = {},
): Form<Secret> => formOf(must, isValid, (value) => new Secret(value), { secret: true, ...traits })

export const evmAddress = formOf(
  'an address of 20 bytes in hex, with a right checksum where its letters are in both cases',
  (value) => isAddress(value),
  (value): Address => getAddress(value),
)

/** Its letters are kept as they are written. */
export const plainEvmAddress = formOf(
  'an EVM address',
  (value) => /^0x[0-9a-fA-F]{40}$/.test(value),
  asIs,
)

/** A number that is an id: nothing is counted with it. */
export const digits = formOf('a number', (value) => /^\d{1,12}$/.test(value), asIs)

export const networks = formOf(
  'IP addresses or CIDR ranges, separated by commas',
  (value) => listOf(value).every(isNetwork),
  (value): readonly string[] => listOf(value),
)

export const addresses = formOf(
  'IP addresses, separated by commas, each once',
  (value) => listOf(value).every((one, i, all) => isIP(one) !== 0 && all.indexOf(one) === i),
  (value): readonly string[] => listOf(value),
)

function isNetwork(value: string): boolean {
  const [address = '', bits, ...more] = value.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  )
}
