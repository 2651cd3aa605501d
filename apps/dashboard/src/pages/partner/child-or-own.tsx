import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ShortId } from '../../kit/short-id.tsx'
import { asText } from '../../kit/text.tsx'
import { childQuery } from '../../queries/partner.ts'
import { sessionQuery } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'

interface ChildOrOwnProps {
  readonly id: string
  /** Null: the partner's own. */
  readonly email: string | null
}

/** Whose a row is: the partner's own, or that of a child, by its e-mail address. */
export function ChildOrOwn({ id, email }: ChildOrOwnProps) {
  const { data: session } = useQuery(sessionQuery)
  if (id === session?.user.accountId) return texts.partner.orders.own
  return (
    <Link to="/children/$id/{-$tab}" params={{ id, tab: undefined }}>
      {asText(email) ?? <ShortId id={id} />}
    </Link>
  )
}

/** The same on the page of one record, which asks for the child. */
export function ChildOrOwnById({ id }: { readonly id: string }) {
  const { data: session } = useQuery(sessionQuery)
  const { data: child } = useQuery({
    ...childQuery(id),
    enabled: session !== undefined && id !== session?.user.accountId,
  })
  return <ChildOrOwn id={id} email={child?.email ?? null} />
}
