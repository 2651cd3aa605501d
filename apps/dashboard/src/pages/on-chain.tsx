// A hash or an address of a chain, as a link to its block explorer where one is known.
import { useQuery } from '@tanstack/react-query'
import { CopyId, Elsewhere } from '../kit/copy.tsx'
import { explorersQuery } from '../queries/money.ts'
import { explorerUrl, type OnChain as Place } from './explorer-url.ts'

/** Null while it is not known yet, or nothing is. */
function useExplorerUrl(place: Place): string | null {
  const { data } = useQuery(explorersQuery)
  return explorerUrl(data?.explorers ?? {}, place)
}

export function OnChain(place: Place) {
  const href = useExplorerUrl(place)
  if (href === null) return <code>{place.value}</code>
  return <Elsewhere href={href}>{place.value}</Elsewhere>
}

/** The same with a button that copies it. */
export function CopyOnChain({ what, ...place }: Place & { readonly what: string }) {
  const href = useExplorerUrl(place)
  return <CopyId value={place.value} what={what} {...(href !== null && { href })} />
}
