import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Field } from '../../../kit/field.tsx'
import { Form } from '../../../kit/form.tsx'
import { NewPassword } from '../../../kit/new-password.tsx'
import { Notice } from '../../../kit/notice.tsx'
import { Section } from '../../../kit/page.tsx'
import { texts } from '../../../texts/texts.ts'
import css from './login.module.css'

const { login: words } = texts

export function Password() {
  const [isChanged, setChanged] = useState(false)
  const change = async (values: FormData): Promise<void> => {
    const currentPassword = String(values.get('current'))
    const newPassword = String(values.get('new'))
    await call('changePassword', { body: { currentPassword, newPassword } })
    setChanged(true)
  }
  return (
    <Section title={words.password}>
      {isChanged && <Notice tone="good">{words.changed}</Notice>}
      <div className={css.narrow}>
        <Form key={String(isChanged)} submit={words.changePassword} onSubmit={change}>
          {(problems) => (
            <>
              <Field
                {...{ label: words.currentPassword, name: 'current', type: 'password' }}
                autoComplete="current-password"
                problem={problems.currentPassword}
                required
              />
              <NewPassword name="new" problem={problems.new ?? problems.newPassword} />
            </>
          )}
        </Form>
      </div>
    </Section>
  )
}
