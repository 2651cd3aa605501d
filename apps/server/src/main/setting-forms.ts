// The forms that settings have: how a text is read, and what it must be when it cannot be read.
import { isIP } from 'node:net'
import { inspect } from 'node:util'
import { getAddress, isAddress } from 'viem'
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

export interface Setting<Value> {
  /** Throws what the value must be, as the end of `PORT must be ...`. */
  readonly parse: (text: string) => Value
  readonly about: string
  /** What it may be, where a short text says so. */
  readonly form?: string
  /** The value is never shown, and may also be given as a file by `<NAME>_FILE`. */
  readonly secret?: boolean
  /** The file must be readable by its owner only. */
  readonly ownFile?: boolean
}

export interface SettingWithDefault<Value> extends Setting<Value> {
  readonly fallback: Value
}

/** Without a default an unset variable is null. */
export const or = <Value>(setting: Setting<Value>, fallback: Value): SettingWithDefault<Value> => ({
  ...setting,
  fallback,
})

export const integer = (min: number, max: number, about: string): Setting<number> => ({
  parse: (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw `an integer from ${min} to ${max}`
  },
  about,
  form: `${min} to ${max}`,
})

export const text = (about: string): Setting<string> => ({
  parse: (value) => value,
  about,
})

export const choice = (values: readonly string[], about: string): Setting<string> => ({
  parse: (value) => {
    if (values.includes(value)) return value
    throw `one of ${values.join(', ')}`
  },
  about,
  form: values.join(', '),
})

export const flag = (about: string): Setting<boolean> => ({
  parse: (value) => {
    if (['1', 'true', 'yes', 'on'].includes(value)) return true
    if (['0', 'false', 'no', 'off'].includes(value)) return false
    throw 'true or false'
  },
  about,
  form: 'true, false',
})

export const httpUrl = (about: string): Setting<string> => ({
  parse: (value) => {
    if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) {
      return value.replace(/\/+$/, '')
    }
    throw 'an http or https URL'
  },
  about,
})

/** One line of visible ASCII, because it becomes a line of a file. */
export const contactUri = (about: string): Setting<string> => ({
  parse: (value) => {
    if (/^(mailto:|https:\/\/|tel:)[!-~]+$/.test(value) && URL.canParse(value)) return value
    throw 'a mailto:, https: or tel: URI'
  },
  about,
})

/** Addresses of nodes often contain the key of an account. */
export const rpcUrls = (about: string): Setting<readonly Secret[]> => ({
  parse: (value) => {
    const urls = value.split(',').map((url) => url.trim())
    if (urls.every((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) {
      return urls.map((url) => new Secret(url))
    }
    throw 'http or https URLs, separated by commas'
  },
  about,
  secret: true,
})

export const nodesOf = (chain: string): Setting<readonly Secret[]> =>
  rpcUrls(
    `JSON-RPC addresses of nodes of ${chain}, the preferred one first, separated by commas. Unset: the ` +
      'chain is switched off; with the sandbox, its node.',
  )

export const secondNodesOf = (chain: string): Setting<readonly Secret[]> =>
  rpcUrls(
    `Nodes of ${chain} at another operator, which confirm large deposits and failed payments, and are asked while the first do not answer.`,
  )

/** A person's browser is led there, so it is https and nothing but an origin and a path. */
export const explorerOf = (chain: string, known: string): Setting<string> => ({
  parse: (value) => {
    const url = URL.parse(value)
    const isPlain = url !== null && `${url.origin}${url.pathname}` === url.href
    if (isPlain && url.protocol === 'https:') return url.href.replace(/\/+$/, '')
    throw 'an https URL without user, query and fragment'
  },
  about:
    `Block explorer of ${chain}, to which pages link hashes (\`/tx/…\`) and addresses (\`/address/…\`). ` +
    `Unset: ${known}; with the sandbox, none.`,
})

/** In wei; the bounds leave room for any market, and for no slip of units. */
export const mostFeeOf = (chain: string, fallback: number): SettingWithDefault<number> =>
  or(
    integer(
      1_000_000,
      100_000_000_000_000,
      `Wei for a unit of gas that a transaction of ours on ${chain} offers at most. Above it a new one waits, ` +
        'and one that was sent is not replaced.',
    ),
    fallback,
  )

export const startBlockOf = (chain: string): Setting<number> =>
  integer(
    0,
    1_000_000_000_000,
    `The number of the block after which ${chain} is searched for deposits when it is scanned for the first time. ` +
      'Unset: the newest one at that moment. Later it changes nothing.',
  )

export const secret = (
  about: string,
  isValid: (value: string) => boolean,
  form: string,
): Setting<Secret> => ({
  parse: (value) => {
    if (isValid(value)) return new Secret(value)
    throw form
  },
  about,
  secret: true,
})

export const evmAddress = (about: string): Setting<Address> => ({
  parse: (value) => {
    if (isAddress(value)) return getAddress(value)
    throw 'an address of 20 bytes in hex, with a right checksum where its letters are in both cases'
  },
  about,
})

export const networks: Setting<readonly string[]> = {
  parse: (value) => {
    const list = value.split(',').map((network) => network.trim())
    if (list.every(isNetwork)) return list
    throw 'IP addresses or CIDR ranges, separated by commas'
  },
  about: 'Addresses of reverse proxies whose `X-Forwarded-For` is believed, separated by commas.',
}

function isNetwork(value: string): boolean {
  const [address = '', bits, ...more] = value.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  )
}
