import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { sessionQuery } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'

/** Whose a row is: the partner's own, or that of a child, by the end of its id. */
export function ChildOrOwn({ id }: { readonly id: string }) {
  const { data: session } = useQuery(sessionQuery)
  if (id === session?.user.accountId) return texts.partner.orders.own
  return (
    <Link to="/children/$id/{-$tab}" params={{ id, tab: undefined }}>
      <code>{`…${id.slice(-12)}`}</code>
    </Link>
  )
}
