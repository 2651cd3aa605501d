// An endpoint by its address, as far as it is still there.
import { useQuery } from '@tanstack/react-query'
import { ShortId } from '../../kit/short-id.tsx'
import { Text } from '../../kit/text.tsx'
import { endpointsQuery } from '../../queries/account.ts'

interface EndpointNameProps {
  readonly id: string
  readonly childId?: string
  /** Without its scheme, for a narrow column. */
  readonly isShort?: boolean
}

export function EndpointName({ id, childId, isShort = false }: EndpointNameProps) {
  const { data: endpoints } = useQuery(endpointsQuery(childId))
  const endpoint = endpoints?.find((one) => one.id === id)
  if (endpoint === undefined) return <ShortId id={id} />
  return <Text>{isShort ? endpoint.url.replace(/^https?:\/\//, '') : endpoint.url}</Text>
}
