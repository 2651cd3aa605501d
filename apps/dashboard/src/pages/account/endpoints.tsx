// Every endpoint of an account: which events each receives, how it is signed, and whether it is well.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { DashboardEndpoint } from '@tradepost/contract'
import { useState } from 'react'
import { EVENTS_OF_MERCHANT, EVENTS_OF_PARTNER } from '../../api/event-types.ts'
import { callFor } from '../../api/for-child.ts'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field, Select } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Badge, Failure, Notice } from '../../kit/notice.tsx'
import { RowActs, Table } from '../../kit/table.tsx'
import { asText, Text } from '../../kit/text.tsx'
import { Time } from '../../kit/time.tsx'
import { endpointsQuery, webhookQuery } from '../../queries/account.ts'
import { sessionQuery, useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
import { NewSecret, RotateSecret } from './signing-secret.tsx'

const { webhook: words, actions } = texts

interface Open {
  readonly kind: 'edit' | 'rotate' | 'remove'
  readonly endpoint: DashboardEndpoint
}

const linkOfDelivery = (id: string, childId?: string): LinkProps =>
  (childId === undefined
    ? { to: '/webhook/deliveries/$id', params: { id } }
    : {
        to: '/children/$id/deliveries/$delivery',
        params: { id: childId, delivery: id },
      }) as LinkProps

/** A partner and its children receive events in one form of their own, and approve no withdrawals. */
function useIsOfPartner(childId: string | undefined): boolean {
  const { data: session } = useQuery(sessionQuery)
  return childId !== undefined || session?.user.accountKind === 'partner'
}

function useRefresh(childId: string | undefined): () => Promise<unknown> {
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.invalidateQueries(endpointsQuery(childId)),
      queries.invalidateQueries(webhookQuery(childId)),
    ])
}

/** Above the endpoints, for those who may add one. */
export function AddEndpoint({ childId }: { readonly childId?: string }) {
  const mayWrite = useCapability('webhook.write')
  const refresh = useRefresh(childId)
  const [isOpen, setOpen] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const close = (): void => setOpen(false)
  if (!mayWrite) return null
  return (
    <>
      <Button look="main" onClick={() => setOpen(true)}>
        {words.add}
      </Button>
      {isOpen && (
        <Dialog title={words.add} onClose={close}>
          <Form
            submit={words.add}
            done={words.said.added}
            onCancel={close}
            onSubmit={async (values) => {
              const body = fieldsIn(values)
              const { secret } = await callFor(childId, 'createEndpoint', { body })
              await refresh()
              close()
              setSecret(secret)
            }}
          >
            {(problems) => <EndpointFields {...{ problems, childId }} />}
          </Form>
        </Dialog>
      )}
      {secret !== null && <NewSecret isOfEvents secret={secret} onClose={() => setSecret(null)} />}
    </>
  )
}

export function Endpoints({ childId }: { readonly childId?: string }) {
  const { data: endpoints, error } = useQuery(endpointsQuery(childId))
  const { data: oldest } = useQuery(webhookQuery(childId))
  const isOfPartner = useIsOfPartner(childId)
  const mayWrite = useCapability('webhook.write')
  const queries = useQueryClient()
  const [open, setOpen] = useState<Open | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const [tested, setTested] = useState<Tested | null>(null)
  const refresh = useRefresh(childId)
  const change = async (id: string, status: 'active' | 'disabled'): Promise<void> => {
    await callFor(childId, 'updateEndpoint', { params: { id }, body: { status } })
    await refresh()
  }
  const test = async ({ id, url }: DashboardEndpoint): Promise<void> => {
    const sent = await callFor(childId, 'testEndpoint', { params: { id } })
    const { delivered, status, error: reason, deliveryId } = sent
    const text =
      delivered && status !== null ? words.testGood(status) : words.testBad(status, reason)
    setTested({ delivered, text: `${url}: ${text}`, deliveryId })
    await queries.invalidateQueries({
      queryKey: [childId === undefined ? 'listEveryDelivery' : 'listEveryDeliveryOfChild'],
    })
  }
  return (
    <>
      {!mayWrite && <p>{texts.readOnly}</p>}
      {oldest?.approvesWithdrawals && (
        <p>
          {oldest.url === null ? words.approvesNothing : words.approves}{' '}
          <Link to="/payouts/destinations">{words.toApproval}</Link>
        </p>
      )}
      {error && <Failure error={error} />}
      {(endpoints || !error) && (
        <Table
          caption={words.endpoints}
          empty={
            childId !== undefined
              ? words.noEndpointsOfChild
              : isOfPartner
                ? words.noEndpointsOfPartner
                : words.noEndpoints
          }
          rows={endpoints}
          keyOf={({ id }) => id}
          columns={[
            {
              head: words.url,
              cell: ({ url, description, isOldest }) => (
                <>
                  <div>
                    <Text>{url}</Text>
                  </div>
                  {description !== '' && (
                    <div>
                      <small>
                        <Text>{description}</Text>
                      </small>
                    </div>
                  )}
                  {/* Said where it matters: the text above is about the oldest. */}
                  {isOldest && oldest?.approvesWithdrawals && endpoints && endpoints.length > 1 && (
                    <Badge tone="plain">{words.oldest}</Badge>
                  )}
                </>
              ),
            },
            { head: words.events, cell: ({ events }) => events?.join(', ') ?? words.everyEvent },
            {
              head: words.signature,
              cell: ({ signature }) => words.signatures[signature],
              isEmpty: () => isOfPartner,
            },
            {
              head: words.state,
              cell: (endpoint) => <Health endpoint={endpoint} childId={childId} />,
            },
            {
              head: texts.keys.actions,
              cell: (endpoint) =>
                mayWrite && (
                  <RowActs>
                    {ACTS.map((kind) => (
                      <OpenButton key={kind} {...{ kind, endpoint }} onOpen={setOpen} />
                    ))}
                    <Act label={words.acts.test} onDo={() => test(endpoint)} />
                    <Act
                      label={endpoint.status === 'active' ? words.disable : words.enable}
                      onDo={() =>
                        change(endpoint.id, endpoint.status === 'active' ? 'disabled' : 'active')
                      }
                    />
                    <OpenButton kind="remove" endpoint={endpoint} onOpen={setOpen} />
                  </RowActs>
                ),
            },
          ]}
        />
      )}
      {tested && (
        <Notice tone={tested.delivered ? 'good' : 'bad'}>
          {tested.text}{' '}
          <Link {...linkOfDelivery(tested.deliveryId, childId)}>{words.testDelivery}</Link>
        </Notice>
      )}
      {open && (
        <EndpointDialog {...{ open, childId, refresh }} onChange={setOpen} onSecret={setSecret} />
      )}
      {secret !== null && <NewSecret isOfEvents secret={secret} onClose={() => setSecret(null)} />}
    </>
  )
}

const ACTS = ['edit', 'rotate'] as const

const OpenButton = ({ onOpen, ...open }: Open & { readonly onOpen: (open: Open) => void }) => (
  <Button look="quiet" size="small" onClick={() => onOpen(open)}>
    {words.acts[open.kind]}
  </Button>
)

interface Tested {
  readonly delivered: boolean
  readonly text: string
  readonly deliveryId: string
}

const Act = ({ label, onDo }: { readonly label: string; readonly onDo: () => Promise<void> }) => (
  <Form submit={label} look="quiet" onSubmit={onDo}>
    {() => null}
  </Form>
)

const Health = ({
  endpoint: { id, status, failingSince, disabledReason },
  childId,
}: {
  readonly endpoint: DashboardEndpoint
  readonly childId: string | undefined
}) => (
  <>
    <Badge tone={status === 'active' ? 'good' : 'bad'}>{words.endpointStates[status]}</Badge>{' '}
    {failingSince !== null && (
      <>
        <Badge tone="warn">{words.failing}</Badge> <Time at={failingSince} />{' '}
        <FailedDeliveries endpointId={id} childId={childId} />
      </>
    )}{' '}
    {asText(disabledReason)}
  </>
)

/** To what an endpoint has not received: one of the own endpoints, or of a child’s. */
function FailedDeliveries({
  endpointId,
  childId,
}: {
  readonly endpointId: string
  readonly childId: string | undefined
}) {
  const search = { endpointId, status: 'retrying,exhausted,skipped' }
  const target =
    childId === undefined
      ? { to: '/webhook/deliveries', search }
      : { to: '/children/$id/{-$tab}', params: { id: childId, tab: 'deliveries' }, search }
  return <Link {...(target as LinkProps)}>{words.failedDeliveries}</Link>
}

function EndpointDialog({
  open,
  childId,
  refresh,
  onChange,
  onSecret,
}: {
  readonly open: Open
  readonly childId: string | undefined
  readonly refresh: () => Promise<unknown>
  readonly onChange: (open: Open | null) => void
  readonly onSecret: (secret: string) => void
}) {
  const { data: oldest } = useQuery(webhookQuery(childId))
  const close = (): void => onChange(null)
  switch (open.kind) {
    case 'edit': {
      const { endpoint } = open
      return (
        <Dialog title={words.editEndpoint} onClose={close}>
          <Form
            submit={actions.save}
            done={actions.saved}
            onCancel={close}
            onSubmit={async (values) => {
              const params = { id: endpoint.id }
              const body = fieldsIn(values)
              await callFor(childId, 'updateEndpoint', { params, body })
              await refresh()
              // The secret is shown in the form that the libraries of the new signature read.
              if (body.signature === endpoint.signature) close()
              else onChange({ kind: 'rotate', endpoint })
            }}
          >
            {(problems) => <EndpointFields {...{ problems, childId, value: endpoint }} />}
          </Form>
        </Dialog>
      )
    }
    case 'rotate':
      return (
        <RotateSecret
          onClose={close}
          onRotate={async (overlapHours) => {
            const params = { id: open.endpoint.id }
            const body = { overlapHours }
            onSecret((await callFor(childId, 'rotateEndpointSecret', { params, body })).secret)
          }}
        />
      )
    case 'remove':
      return (
        <Confirm
          {...{ title: words.remove, act: words.remove, look: 'danger', done: words.said.removed }}
          onClose={close}
          onConfirm={async () => {
            await callFor(childId, 'removeEndpoint', { params: { id: open.endpoint.id } })
            await refresh()
          }}
        >
          <p>
            <Text>{open.endpoint.url}</Text>
          </p>
          <p>{words.removeOne}</p>
          {childId !== undefined && <p>{words.removeLastOfChild}</p>}
          {open.endpoint.isOldest && oldest?.approvesWithdrawals && <p>{words.removeOldest}</p>}
        </Confirm>
      )
  }
}

function EndpointFields({
  problems,
  childId,
  value,
}: {
  readonly problems: Readonly<Record<string, string>>
  readonly childId: string | undefined
  readonly value?: DashboardEndpoint
}) {
  const { data: oldest } = useQuery(webhookQuery(childId))
  const isOfPartner = useIsOfPartner(childId)
  const types = isOfPartner ? EVENTS_OF_PARTNER : EVENTS_OF_MERCHANT
  const [isLimited, setLimited] = useState((value?.events ?? null) !== null)
  return (
    <>
      <Field
        {...{ label: words.url, name: 'url', type: 'url', problem: problems.url }}
        hint={oldest?.allowsPrivate ? words.urlHintPrivate : words.urlHint}
        defaultValue={value?.url ?? ''}
        required
      />
      <Field
        {...{ label: words.description, name: 'description', maxLength: 200 }}
        {...{ defaultValue: value?.description ?? '', problem: problems.description }}
      />
      {!isOfPartner && (
        <Select
          {...{ label: words.signature, name: 'signature' }}
          defaultValue={value?.signature ?? 'service'}
        >
          <option value="service">{words.signatures.service}</option>
          <option value="standard">{words.signatures.standard}</option>
        </Select>
      )}
      <fieldset>
        <legend>{words.events}</legend>
        <label>
          <input
            type="checkbox"
            name="every"
            checked={!isLimited}
            onChange={({ target }) => setLimited(!target.checked)}
          />{' '}
          {words.everyEvent}
        </label>
        {isLimited &&
          types.map((type) => (
            <div key={type}>
              <label>
                <input
                  type="checkbox"
                  name="events"
                  value={type}
                  defaultChecked={value?.events?.includes(type) ?? false}
                />{' '}
                {type}
              </label>
            </div>
          ))}
        {problems.events && <p>{problems.events}</p>}
      </fieldset>
    </>
  )
}

function fieldsIn(values: FormData) {
  const signature = values.get('signature') === 'standard' ? 'standard' : 'service'
  return {
    url: textOf(values, 'url'),
    description: textOf(values, 'description'),
    events: values.has('every') ? null : values.getAll('events').map(String),
    signature,
  } as const
}
