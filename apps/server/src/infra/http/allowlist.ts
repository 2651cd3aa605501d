// Lists of networks that may use something: addresses and CIDR blocks, IPv4 or IPv6.
import { BlockList, isIP, isIPv4 } from 'node:net'

/**
 * Whether an address belongs to the list; to an empty one every address does. An entry that is no network
 * matches no address: a typing error must not open a key to every address.
 */
export function compileAllowlist(entries: readonly string[]): (address: string) => boolean {
  if (entries.length === 0) return () => true
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address)
    if (family === 0) continue
    const bits = prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix)
    if (!Number.isInteger(bits) || bits < 0 || bits > (family === 4 ? 32 : 128)) continue
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  }
  // Behind a trusted proxy the address is whatever the header says, which may be no address at all.
  return (address) => isIP(address) !== 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}
