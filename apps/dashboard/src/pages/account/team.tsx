import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Team, TeamMember } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { MailSent } from '../../kit/sandbox-mail.tsx'
import { RowActs, Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { useWaiting } from '../../kit/use-waiting.ts'
import { Waiting } from '../../kit/waiting.tsx'
import { ownAccountsQuery, teamQuery } from '../../queries/account.ts'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
import { AccountName } from './account-name.tsx'
import { Leaving } from './leaving.tsx'
import { RoleChoice, type TeamRole } from './role-choice.tsx'

const { team: words } = texts

/** Who works on this account, and in which role. Owners change it. */
export function TeamPage() {
  const { data: team, error } = useQuery(teamQuery)
  const isWaiting = useWaiting(teamQuery, ownAccountsQuery)
  const queries = useQueryClient()
  const [isInviting, setInviting] = useState(false)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const keep = (next: Team): void => {
    queries.setQueryData(teamQuery.queryKey, next)
  }
  const isOwner = useCapability('members.write')
  return (
    <Page
      title={words.title}
      act={
        isOwner && (
          <Button look="main" onClick={() => setInviting(true)}>
            {words.invite}
          </Button>
        )
      }
    >
      {error && <Failure error={error} />}
      {sentTo && <MailSent>{words.sent(sentTo)}</MailSent>}
      {isWaiting ? (
        <Waiting rows={12} />
      ) : (
        <>
          {team && <Members team={team} isOwner={isOwner} keep={keep} />}
          {team && <Invitations team={team} isOwner={isOwner} keep={keep} />}
          <AccountName />
          <Leaving />
        </>
      )}
      {isInviting && (
        <Dialog title={words.invite} onClose={() => setInviting(false)}>
          <Form
            submit={words.invite}
            done={null}
            onCancel={() => setInviting(false)}
            onSubmit={async (values) => {
              const email = textOf(values, 'email')
              const role = textOf(values, 'role') as TeamRole
              keep(await call('inviteMember', { body: { email, role } }))
              setSentTo(email)
              setInviting(false)
            }}
          >
            {(problems) => (
              <>
                <Field
                  {...{ label: words.email, name: 'email', type: 'email', hint: words.inviteText }}
                  problem={problems.email}
                  autoFocus
                  required
                />
                <RoleChoice chosen="developer" />
              </>
            )}
          </Form>
        </Dialog>
      )}
    </Page>
  )
}

interface PartProps {
  readonly team: Team
  readonly isOwner: boolean
  readonly keep: (next: Team) => void
}

function Members({ team, isOwner, keep }: PartProps) {
  const [changed, setChanged] = useState<TeamMember | null>(null)
  const [removed, setRemoved] = useState<TeamMember | null>(null)
  const actions = {
    head: words.actions,
    cell: (member: TeamMember) => (
      <RowActs>
        <Button look="quiet" onClick={() => setChanged(member)}>
          {words.change}
        </Button>
        <Button look="quiet" onClick={() => setRemoved(member)}>
          {words.remove}
        </Button>
      </RowActs>
    ),
  }
  return (
    <Section title={words.members}>
      <Table
        caption={words.members}
        empty=""
        rows={team.members}
        keyOf={({ personId }) => personId}
        columns={[
          {
            head: words.email,
            cell: ({ email, self }) => (self ? `${email} (${words.you})` : email),
          },
          { head: words.role, cell: ({ role }) => words.roles[role] },
          {
            head: words.factor,
            cell: ({ hasSecondFactor }) => (
              <Badge tone={hasSecondFactor ? 'good' : 'warn'}>
                {hasSecondFactor ? words.factorOn : words.factorOff}
              </Badge>
            ),
          },
          {
            head: words.lastSeen,
            cell: ({ lastSeenAt }) => (lastSeenAt ? <Time at={lastSeenAt} /> : words.never),
          },
          { head: words.since, cell: ({ since }) => <Time at={since} /> },
          ...(isOwner ? [actions] : []),
        ]}
      />
      {changed && (
        <Dialog title={words.changeTitle(changed.email)} onClose={() => setChanged(null)}>
          <p>{words.changeText}</p>
          <Form
            submit={words.change}
            done={texts.actions.saved}
            onCancel={() => setChanged(null)}
            onSubmit={async (values) => {
              const role = textOf(values, 'role') as TeamRole
              const params = { id: changed.personId }
              keep(await call('changeMemberRole', { params, body: { role } }))
              setChanged(null)
            }}
          >
            {() => <RoleChoice chosen={changed.role} />}
          </Form>
        </Dialog>
      )}
      {removed && (
        <Confirm
          title={words.removeTitle(removed.email)}
          act={words.remove}
          look="danger"
          done={words.removed(removed.email)}
          onClose={() => setRemoved(null)}
          onConfirm={async () =>
            keep(await call('removeMember', { params: { id: removed.personId } }))
          }
        >
          <p>{words.removeText}</p>
        </Confirm>
      )}
    </Section>
  )
}

const Invitations = ({ team, isOwner, keep }: PartProps) => (
  <Section title={words.invitations}>
    <Table
      caption={words.invitations}
      empty={words.noInvitations}
      rows={team.invitations}
      keyOf={({ id }) => id}
      columns={[
        { head: words.email, cell: ({ email }) => email },
        { head: words.role, cell: ({ role }) => words.roles[role] },
        { head: words.invitedBy, cell: ({ invitedBy }) => invitedBy },
        { head: words.expires, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
        ...(isOwner
          ? [
              {
                head: words.actions,
                cell: ({ id }: { id: string }) => (
                  <Button
                    look="quiet"
                    onClick={() =>
                      void call('revokeInvitation', { params: { id } }).then(keep, () => {})
                    }
                  >
                    {words.revoke}
                  </Button>
                ),
              },
            ]
          : []),
      ]}
    />
  </Section>
)
