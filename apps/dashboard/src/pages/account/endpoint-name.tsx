// An endpoint by its address, as far as it is still there.
import { useQuery } from '@tanstack/react-query'
import { ShortId } from '../../kit/short-id.tsx'
import { Text } from '../../kit/text.tsx'
import { endpointsQuery } from '../../queries/account.ts'

export function EndpointName({ id, childId }: { readonly id: string; readonly childId?: string }) {
  const { data: endpoints } = useQuery(endpointsQuery(childId))
  const endpoint = endpoints?.find((one) => one.id === id)
  return endpoint === undefined ? <ShortId id={id} /> : <Text>{endpoint.url}</Text>
}
