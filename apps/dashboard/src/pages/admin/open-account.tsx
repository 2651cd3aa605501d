import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import { Dialog } from '../../kit/dialog.tsx'
import { Field, PERCENT, Select } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { hundredthsOf, ofHundred } from '../../kit/hundredths.ts'
import { Failure } from '../../kit/notice.tsx'
import { defaultsQuery } from '../../queries/admin.ts'
import { admin as words } from '../../texts/admin.ts'

/**
 * Basis points of a percentage as typed; absent when the field is empty. What is no percentage is sent as it
 * is: the service refuses it with the name of the field. As a number it would be null, which clears a fee.
 */
export const bpsOf = (values: FormData, name: string): number | undefined => {
  const typed = textOf(values, name)
  if (typed === '') return undefined
  const bps = hundredthsOf(typed)
  return Number.isNaN(bps) ? (typed as unknown as number) : bps
}

const TIERS = ['standard', 'premium', 'enterprise'] as const
type Tier = (typeof TIERS)[number]

export const TierChoice = ({ value }: { readonly value?: Tier }) => (
  <Select label={words.tier} name="tier" defaultValue={value ?? 'standard'}>
    {TIERS.map((tier) => (
      <option key={tier}>{tier}</option>
    ))}
  </Select>
)
export const tierOf = (values: FormData): Tier =>
  TIERS.find((tier) => tier === textOf(values, 'tier')) ?? 'standard'

interface OpenAccountProps {
  readonly kind: 'merchant' | 'partner'
  readonly onClose: () => void
}

/** Opens a merchant or a partner, and leads to its page. */
export function OpenAccount({ kind, onClose }: OpenAccountProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isMerchant = kind === 'merchant'
  const { data: defaults, error } = useQuery(defaultsQuery)
  const submit = async (values: FormData): Promise<void> => {
    const email = textOf(values, 'email')
    const name = textOf(values, 'name')
    const feeBps = bpsOf(values, 'feeBps')
    const buyFeeBps = bpsOf(values, 'buyFeeBps')
    const { id } = isMerchant
      ? await call('createMerchantAccount', {
          body: {
            ...{ email, name, tier: tierOf(values) },
            currency: textOf(values, 'currency') === 'EUR' ? 'EUR' : 'USD',
            // Required: a fee that was forgotten is not agreed as none.
            feeBps: feeBps as number,
            buyFeeBps: buyFeeBps ?? 0,
            sellFeeBps: bpsOf(values, 'sellFeeBps') ?? 0,
          },
        })
      : await call('createPartnerAccount', {
          body: {
            ...{ email, name },
            ...(feeBps !== undefined && { feeBps }),
            ...(buyFeeBps !== undefined && { buyFeeBps }),
          },
        })
    await queries.invalidateQueries({ queryKey: ['listAccounts'] })
    await navigate({ to: '/admin/accounts/$id/{-$tab}', params: { id, tab: undefined } })
  }
  return (
    <Dialog title={isMerchant ? words.openMerchant : words.openPartner} onClose={onClose}>
      {error && <Failure error={error} />}
      {defaults && (
        <Form
          submit={words.create}
          done={words.said.accountOpened}
          onCancel={onClose}
          onSubmit={submit}
        >
          {(problems) => (
            <>
              <Field
                {...{ label: words.email, name: 'email', type: 'email' }}
                problem={problems.email}
                autoFocus
                required
              />
              <Field label={words.name} name="name" problem={problems.name} required />
              {isMerchant && (
                <>
                  <Select label={words.currency} name="currency">
                    <option>USD</option>
                    <option>EUR</option>
                  </Select>
                  <TierChoice />
                </>
              )}
              <FeeFields {...{ problems, isMerchant, houseFeeBps: defaults.feeBps }} />
            </>
          )}
        </Form>
      )}
    </Dialog>
  )
}

interface FeeFieldsProps {
  readonly problems: Readonly<Record<string, string>>
  readonly isMerchant: boolean
  /** Where nothing else is agreed. */
  readonly houseFeeBps: number
}

const FeeFields = ({ problems, isMerchant, houseFeeBps }: FeeFieldsProps) => (
  <>
    <BpsField
      {...{ name: 'feeBps', label: words.fee, hint: words.feeHint, problems }}
      value={isMerchant ? houseFeeBps : null}
      required={isMerchant}
    />
    <BpsField
      {...{ name: 'buyFeeBps', problems, value: isMerchant ? 0 : null }}
      label={words.buyFee[isMerchant ? 'merchant' : 'partner']}
    />
    {isMerchant && (
      <BpsField {...{ name: 'sellFeeBps', label: words.sellFee, value: 0, problems }} />
    )}
  </>
)

interface BpsFieldProps {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly value?: number | null
  readonly required?: boolean
  readonly problems: Readonly<Record<string, string>>
}

/** Percent from 0 to 100, of a value in basis points. */
export const BpsField = ({ name, label, hint, value, required, problems }: BpsFieldProps) => (
  <Field
    {...{ label, name, hint, required, ...PERCENT }}
    defaultValue={typeof value === 'number' ? ofHundred(value) : ''}
    problem={problems[name]}
  />
)
