import { visible } from '../texts/foreign.ts'
import { Text } from './text.tsx'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** An EVM address, or the hash of a transaction. */
const HEX = /^0x[0-9a-f]{40,}$/i

/** Ids that were made in one second begin alike; of addresses people compare both ends. */
function shortOf(id: string): string {
  if (UUID.test(id)) return `…${id.slice(-12)}`
  return HEX.test(id) ? `${id.slice(0, 6)}…${id.slice(-4)}` : id
}

/** An id where its row or page shows the whole: the part that tells it from others. */
export const ShortId = ({ id }: { readonly id: string }) => (
  <code title={visible(id)}>
    <Text>{shortOf(id)}</Text>
  </code>
)
