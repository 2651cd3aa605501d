import { Link } from '@tanstack/react-router'
import { COUNTRY_CODES } from '@tradepost/contract/countries'
import { useMemo, useState } from 'react'
import { call } from '../../api/call.ts'
import { EmailField } from '../../kit/email-field.tsx'
import { Select } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { NewPassword } from '../../kit/new-password.tsx'
import { MailSent } from '../../kit/sandbox-mail.tsx'
import { AnonymousPage } from '../../shell/anonymous.tsx'
import { locale, texts } from '../../texts/texts.ts'
import { SendAgain } from './send-again.tsx'

const { anonymous, actions } = texts

export function RegisterPage() {
  const [mailedTo, setMailedTo] = useState<string | null>(null)
  if (mailedTo !== null) {
    return (
      <AnonymousPage
        title={anonymous.mailSentTitle}
        links={<Link to="/login">{actions.logIn}</Link>}
      >
        <MailSent>{anonymous.mailSent(mailedTo)}</MailSent>
        <SendAgain email={mailedTo} />
      </AnonymousPage>
    )
  }
  const register = async (values: FormData): Promise<void> => {
    const email = textOf(values, 'email')
    const country = textOf(values, 'country')
    const password = String(values.get('password'))
    await call('register', { body: { email, password, ...(country && { country }) } })
    setMailedTo(email)
  }
  return (
    <AnonymousPage
      title={anonymous.registerTitle}
      links={<Link to="/login">{anonymous.registerOther}</Link>}
    >
      <Form submit={actions.register} onSubmit={register}>
        {(problems) => (
          <>
            <EmailField problem={problems.email} />
            <NewPassword label={anonymous.password} problem={problems.password} />
            <CountrySelect />
            <p>{anonymous.currency}</p>
          </>
        )}
      </Form>
    </AnonymousPage>
  )
}

/** By the countries' names in the reader's language; the first option names none. */
function CountrySelect() {
  const countries = useMemo(countriesByName, [])
  return (
    <Select label={anonymous.country} name="country" autoComplete="country">
      <option value="" />
      {countries.map(([code, name]) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </Select>
  )
}

function countriesByName(): (readonly [code: string, name: string])[] {
  const names = new Intl.DisplayNames(locale, { type: 'region' })
  const { compare } = new Intl.Collator(locale)
  return COUNTRY_CODES.map((code) => [code, names.of(code) ?? code] as const).sort(
    ([, one], [, other]) => compare(one, other),
  )
}
