// Texts of keys, webhooks and a person’s own login.
import { formatCount } from '../locale.ts'
import { noAnswerFor } from './no-answer.ts'

const noAnswer = (why: string | null): string => (why === null ? 'no answer' : noAnswerFor(why))

export const account = {
  keys: {
    title: 'API keys',
    create: 'Create a key',
    empty: 'No key yet. Create one to call the interface.',
    name: 'Name',
    key: 'Key',
    status: 'State',
    lastUsed: 'Last used',
    created: 'Created',
    never: 'never',
    statuses: { active: 'active', rotating: 'rotating', revoked: 'revoked' },
    allowlist: 'Allowed networks (optional)',
    allowlistHint: 'Addresses or CIDR networks, separated by spaces. Empty: any.',
    allowlistForm:
      'One of these is neither an address such as 203.0.113.7 nor a network such as 203.0.113.0/24.',
    any: 'any',
    networks: 'Networks',
    until: 'works until',
    edit: 'Edit',
    editTitle: (name: string) => `Edit “${name}”`,
    rotate: 'Rotate',
    revoke: 'Revoke',
    rotateTitle: (name: string) => `Rotate “${name}”`,
    rotateText: 'A new key replaces this one. The old one goes on working for:',
    overlap: (hours: number) =>
      hours === 0 ? 'not at all' : hours === 1 ? '1 hour' : `${hours} hours`,
    revokeTitle: (name: string) => `Revoke “${name}”`,
    revokeText: 'From this moment on every call with this key is refused. This cannot be undone.',
    createdTitle: 'Your new key',
    createdText: 'Copy it now: it is shown this once and kept nowhere.',
    actions: 'Actions',
  },
  webhook: {
    title: 'Webhooks',
    endpoint: 'Endpoint',
    url: 'Address',
    urlHint: 'An https address of the public internet.',
    urlHintPrivate: 'An https or http address, also one of this machine or of a private network.',
    none: 'No endpoint is set, so no event is sent.',
    approves:
      'Your withdrawals are approved at this endpoint, so only an owner can change its address. With another address for approvals, developers change this one:',
    approvesNothing:
      'Your withdrawals would be approved at this endpoint: without one, no withdrawal can be made.',
    toApproval: 'Approval of withdrawals',
    noneOfChild: 'No endpoint of its own: events of this child go to the endpoint of the partner.',
    status: { enabled: 'enabled', disabled: 'disabled' },
    failing: 'failing since',
    failingDeliveries: 'Show what fails',
    test: 'Send a test',
    isTest: 'test',
    testDelivery: 'What was sent and answered',
    testGood: (status: number) => `The endpoint answered ${status}.`,
    testBad: (status: number | null, why: string | null) =>
      status === null
        ? `Not delivered: ${noAnswer(why)}.`
        : `Not delivered: the endpoint answered ${status}, and only 2xx counts.`,
    remove: 'Remove the endpoint',
    removeText:
      'Events are no longer sent to it, and what waits to be sent is skipped. Events stay readable on the page of events. An address that you set later gets a new secret.',
    removeTextOfChild:
      'What waits to be sent to it is skipped, and new events of this child go to the endpoint of the partner. An address that you set later gets a new secret.',
    removeApproval: 'Withdrawals are approved at it: without an endpoint none can be made.',
    rotate: 'Rotate the secret',
    rotateText: 'The old secret signs beside the new one for:',
    secretTitle: 'Your new signing secret',
    secretText: 'Copy it now: it is shown this once.',
    deliveries: 'Deliveries',
    noDeliveries: 'Nothing was sent yet.',
    event: 'Event',
    eventHint: 'Its whole type, such as trade.completed.',
    subject: 'About',
    subjectHint: 'The id of a trade, a deposit or a withdrawal.',
    state: 'State',
    attempts: 'Attempts',
    answer: 'Answer',
    at: 'Time',
    recover: 'Try failed deliveries now',
    recoverText:
      'What waits for its next attempt is tried now, and what was skipped or given up since then is sent again: the oldest first, ten a second, at most 5,000 at once. Your endpoint may see an event twice: compare the webhook-id.',
    recoverSince: 'Skipped or given up since',
    recovered: (count: number) =>
      count === 0
        ? 'Nothing waits for an attempt, and nothing was skipped or given up since then.'
        : `${formatCount(count)} ${count === 1 ? 'delivery is' : 'deliveries are'} sent again now.`,
    resend: 'Send again',
    sent: 'Sent',
    answered: 'Answered',
    took: (ms: number) => `${ms} ms`,
    noAttempts: 'It was not sent yet.',
    noAnswer,
    deliveryTitle: 'Delivery',
    nextAttempt: 'Next attempt',
    states: {
      pending: 'pending',
      retrying: 'retrying',
      delivered: 'delivered',
      exhausted: 'given up',
      skipped: 'skipped',
      parked: 'parked',
    },
  },
  login: {
    title: 'Your login',
    sessions: 'Where you are logged in',
    current: 'this browser',
    end: 'End',
    endOthers: 'End all others',
    lastSeen: 'Last seen',
    browser: 'Browser',
    address: 'Address',
    password: 'Password',
    currentPassword: 'Current password',
    changePassword: 'Change the password',
    changed: 'The password is changed; all other sessions have ended.',
    factor: 'Codes at a login',
    factorOff:
      'No code is asked for. Codes of an authenticator app make a stolen password much less useful.',
    factorPasskey:
      'A passkey or a recovery code is asked for at each login with your password. Codes of an authenticator app can be given instead.',
    factorOn: {
      totp: 'A code of your authenticator app is asked for at each login with your password.',
      email:
        'A code by mail is asked for at each login with your password. An authenticator app is safer: who reads your mailbox can also reset your password.',
    },
    setUp: 'Set up an authenticator app',
    setUpMail: 'Have codes mailed',
    mailCode: 'We have mailed you a code. Type it here, so that we know that codes reach you.',
    turnOff: 'Turn codes off',
    scan: 'Scan this with your app, then type the code that it shows.',
    secret: 'Or type this secret:',
    removal: 'Your second factor was reported as lost, and is removed at this time:',
    keep: 'Keep it',
    recoveryTitle: 'Your recovery codes',
    recoveryLeft: (left: number) =>
      left === 1 ? 'One recovery code is left.' : `${left} recovery codes are left.`,
    recoveryRenew: 'Make new recovery codes',
    recoveryRenewText: 'Your current codes no longer work.',
    recoveryText:
      'Each replaces a lost phone once. They are shown only now: keep them where your phone is not.',
  },
}
