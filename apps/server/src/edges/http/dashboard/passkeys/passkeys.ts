// Passkeys: used by an anonymous caller, managed by their person.
import { dashboardRoutes } from '@tradepost/contract'
import {
  addPasskey,
  beginPasskey,
  beginPasskeyUse,
  listPasskeys,
  type PeopleDeps,
  removePasskey,
  renamePasskey,
  usePasskey,
} from '#people'
import { addedPasskeyView, ceremonyView, passkeyView } from '#wire/dashboard/passkeys'
import type { AnswerLogin } from '../log-in/answer-login.ts'
import { anonymousOperation, type DashboardOperations, operation } from '../operation.ts'

export const createPasskeyOperations = (
  people: PeopleDeps,
  answerLogin: AnswerLogin,
): Pick<
  DashboardOperations,
  | 'beginPasskeyUse'
  | 'usePasskey'
  | 'listPasskeys'
  | 'beginPasskey'
  | 'addPasskey'
  | 'renamePasskey'
  | 'removePasskey'
> => ({
  beginPasskeyUse: anonymousOperation(dashboardRoutes.beginPasskeyUse, async ({ body }) =>
    ceremonyView(await beginPasskeyUse(people, body.challengeId ?? null)),
  ),

  usePasskey: anonymousOperation(
    dashboardRoutes.usePasskey,
    async ({ body, caller: { origin, login } }) => {
      const sessionId = login?.session.id ?? null
      return answerLogin(await usePasskey(people, { ...body, origin, sessionId }), login)
    },
  ),

  listPasskeys: operation(dashboardRoutes.listPasskeys, async ({ caller: { session } }) =>
    (await listPasskeys(people, session.person.id)).map(passkeyView),
  ),

  beginPasskey: operation(dashboardRoutes.beginPasskey, async ({ caller: { session } }) =>
    ceremonyView(await beginPasskey(people, session.person)),
  ),

  addPasskey: operation(dashboardRoutes.addPasskey, async ({ body, caller }) => {
    const { session, actor } = caller
    const holder = { personId: session.person.id, sessionId: session.id, actor }
    return addedPasskeyView(await addPasskey(people, { ...body, ...holder }))
  }),

  renamePasskey: operation(
    dashboardRoutes.renamePasskey,
    async ({ params, body, caller: { session, actor } }) => {
      const change = { ...params, ...body, personId: session.person.id, actor }
      return passkeyView(await renamePasskey(people, change))
    },
  ),

  removePasskey: operation(dashboardRoutes.removePasskey, async ({ params, caller }) => {
    const { session, actor } = caller
    const holder = { personId: session.person.id, sessionId: session.id, actor }
    return passkeyView(await removePasskey(people, { id: params.id, ...holder }))
  }),
})
