import { Link } from '@tanstack/react-router'
import { Text } from '../../kit/text.tsx'

interface AccountLinkProps {
  readonly id: string
  readonly name: string
}

/** An account by its name; opens its page. */
export const AccountLink = ({ id, name }: AccountLinkProps) => (
  <Link to="/admin/accounts/$id/{-$tab}" params={{ id, tab: undefined }}>
    <Text>{name}</Text>
  </Link>
)
