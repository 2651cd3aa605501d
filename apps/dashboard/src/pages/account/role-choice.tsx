import { Select } from '../../kit/field.tsx'
import { texts } from '../../texts/texts.ts'

const { team: words } = texts
const ROLES = ['developer', 'finance', 'read_only', 'owner'] as const
export type TeamRole = (typeof ROLES)[number]

/** The field `role` of a form, with what each role may do. */
export const RoleChoice = ({ chosen }: { readonly chosen: string }) => (
  <>
    <Select label={words.role} name="role" defaultValue={chosen}>
      {ROLES.map((role) => (
        <option key={role} value={role}>
          {`${words.roles[role]}: ${words.roleTexts[role]}`}
        </option>
      ))}
    </Select>
    <p>{words.keysText}</p>
  </>
)
