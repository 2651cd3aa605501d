import { useState } from 'react'
import { ApiError, call } from '../../../api/call.ts'
import { Button } from '../../../kit/button.tsx'
import { Dialog } from '../../../kit/dialog.tsx'
import { Field } from '../../../kit/field.tsx'
import { Form } from '../../../kit/form.tsx'
import { Section } from '../../../kit/page.tsx'
import { leave } from '../../../queries/session.ts'
import { texts } from '../../../texts/texts.ts'

const { deletion: words, anonymous } = texts

export function DeleteLogin() {
  const [isAsking, setAsking] = useState(false)
  const remove = async (values: FormData): Promise<void> => {
    try {
      await call('deleteLogin', { body: { password: String(values.get('password')) } })
    } catch (error) {
      const isLastOwner = error instanceof ApiError && error.key === 'VALIDATION_FAILED'
      throw isLastOwner ? new ApiError('LAST_OWNER', {}, error.requestId) : error
    }
    leave()
  }
  return (
    <Section title={words.title}>
      <p>{words.text}</p>
      <div>
        <Button look="danger" onClick={() => setAsking(true)}>
          {words.title}
        </Button>
      </div>
      {isAsking && (
        <Dialog title={words.title} onClose={() => setAsking(false)}>
          <p>{words.warning}</p>
          <Form
            submit={words.title}
            look="danger"
            onCancel={() => setAsking(false)}
            onSubmit={remove}
          >
            {(problems) => (
              <Field
                {...{ label: anonymous.password, name: 'password', type: 'password' }}
                autoComplete="current-password"
                problem={problems.password}
                required
              />
            )}
          </Form>
        </Dialog>
      )}
    </Section>
  )
}
