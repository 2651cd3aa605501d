// Names to addresses for calls that leave the service. `dns.lookup` runs on threads of the process, two
// lookups at once, and cannot be cancelled: two names whose server is silent would stop every other call.
// c-ares, which is behind `dns.Resolver`, uses no threads, and each lookup here has a deadline.
import { type LookupAddress, lookup as lookupBySystem } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP, type LookupFunction } from 'node:net'

export interface NameResolver {
  /** All addresses of the name, IPv4 first. Rejects with `NameNotResolved`. */
  resolve(name: string): Promise<readonly LookupAddress[]>
  /** The same as an option of `net.connect`. */
  readonly lookup: LookupFunction
  /** A name server has answered of late: a name that gets no answer is then not this process's fault. */
  isAnswering(): boolean
}

export interface NameResolverOptions {
  /** For one name, all its queries included. */
  readonly deadlineMs?: number
  /** `address:port` of name servers instead of the system's. */
  readonly servers?: readonly string[]
}

export class NameNotResolved extends Error {
  override readonly name = 'NameNotResolved'
  readonly code: 'ENOTFOUND' | 'ETIMEOUT'
  constructor(code: 'ENOTFOUND' | 'ETIMEOUT') {
    super(code === 'ENOTFOUND' ? 'the name does not exist' : 'no answer from a name server')
    this.code = code
  }
}

const DEADLINE_MS = 4000
/** When one family has addresses, the other gets this long (RFC 8305, section 3). */
const OTHER_FAMILY_MS = 50
const ANSWERED_OF_LATE_MS = 60_000
const HOSTS_READ_AGAIN_MS = 5000

export function createNameResolver(options: NameResolverOptions = {}): NameResolver {
  const readHosts = createHostsReader()
  // One lookup serves every connection that waits for the same name.
  const running = new Map<string, Promise<readonly LookupAddress[]>>()
  let answeredAtMs = Number.NEGATIVE_INFINITY

  const ask = async (name: string): Promise<readonly LookupAddress[]> => {
    const answer = await query(name, options)
    if (answer.kind !== 'unanswered') answeredAtMs = performance.now()
    if (answer.kind === 'found') return answer.addresses
    throw new NameNotResolved(answer.kind === 'absent' ? 'ENOTFOUND' : 'ETIMEOUT')
  }
  const find = async (name: string): Promise<readonly LookupAddress[]> => {
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK
    const listed = (await readHosts()).get(name)
    if (listed) return listed
    return name.includes('.') ? ask(name) : unqualified(name)
  }
  const resolve = (text: string): Promise<readonly LookupAddress[]> => {
    const family = isIP(text)
    if (family !== 0) return Promise.resolve([{ address: text, family }])
    const name = text.toLowerCase().replace(/\.$/, '')
    const lookup = running.get(name) ?? find(name).finally(() => running.delete(name))
    running.set(name, lookup)
    return lookup
  }
  return {
    resolve,
    isAnswering: () => performance.now() - answeredAtMs < ANSWERED_OF_LATE_MS,
    lookup: (hostname, { all, family }, callback) => {
      resolve(hostname).then(
        (found) => {
          const wanted = found.filter((one) => !family || one.family === Number(family))
          const [first] = wanted
          if (!first) callback(new NameNotResolved('ENOTFOUND'), [])
          else if (all) callback(null, [...wanted])
          else callback(null, first.address, first.family)
        },
        (error: NodeJS.ErrnoException) => callback(error, []),
      )
    },
  }
}

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

type Answer =
  | { readonly kind: 'found'; readonly addresses: readonly LookupAddress[] }
  | { readonly kind: 'absent' }
  /** Silence, or a server that says that it could not find out. */
  | { readonly kind: 'unanswered' }

/**
 * A resolver of its own for each name: cancelling ends its queries and no others. c-ares asks again, and the
 * next name server, when one is silent for two seconds; how long all of it may take is decided here alone.
 */
async function query(
  name: string,
  { deadlineMs = DEADLINE_MS, servers }: NameResolverOptions,
): Promise<Answer> {
  const resolver = new Resolver()
  if (servers) resolver.setServers(servers)
  const deadline = setTimeout(() => resolver.cancel(), deadlineMs)
  const ofFamily = async (family: 4 | 6): Promise<Answer> => {
    try {
      const found = await (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name))
      return { kind: 'found', addresses: found.map((address) => ({ address, family })) }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return { kind: ABSENT.has(code ?? '') ? 'absent' : 'unanswered' }
    }
  }
  try {
    const answers: Answer[] = []
    const both = [4 as const, 6 as const].map(async (family) => {
      answers.push(await ofFamily(family))
    })
    await Promise.race(both)
    const grace = answers[0]?.kind === 'found' ? [pause(OTHER_FAMILY_MS)] : []
    await Promise.race([Promise.all(both), ...grace])
    const addresses = answers
      .flatMap((answer) => (answer.kind === 'found' ? answer.addresses : []))
      .sort((one, other) => one.family - other.family)
    if (addresses.length > 0) return { kind: 'found', addresses }
    return { kind: answers.every(({ kind }) => kind === 'absent') ? 'absent' : 'unanswered' }
  } finally {
    clearTimeout(deadline)
    resolver.cancel()
  }
}

const ABSENT = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A name without a dot needs the search list of the machine, which only the system's lookup applies. */
const unqualified = (name: string): Promise<readonly LookupAddress[]> =>
  new Promise((resolve, reject) => {
    lookupBySystem(name, { all: true }, (error, addresses) =>
      error ? reject(new NameNotResolved('ENOTFOUND')) : resolve(addresses),
    )
  })

const HOSTS_FILE =
  process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'

type Hosts = ReadonlyMap<string, readonly LookupAddress[]>

/** The machine's own list of names, which c-ares does not read for queries. */
function createHostsReader(): () => Promise<Hosts> {
  let hosts: Promise<Hosts> | null = null
  let readAtMs = 0
  return () => {
    const nowMs = performance.now()
    if (hosts === null || nowMs - readAtMs > HOSTS_READ_AGAIN_MS) {
      readAtMs = nowMs
      hosts = readFile(HOSTS_FILE, 'utf8').then(parseHosts, () => new Map())
    }
    return hosts
  }
}

export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names.map((each) => each.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), { address, family }])
    }
  }
  return hosts
}
