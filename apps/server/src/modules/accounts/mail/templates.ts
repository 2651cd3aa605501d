// Every message that the service sends: pure functions from details to subject, text and HTML.
import { isolatedTexts } from '#kernel/text'
import { htmlOf, type Paragraph, SIGNATURE } from './html.ts'
import { withReadableTimes } from './readable-times.ts'

/** Messages with a code or a link that does something. Texts of people are escaped; links are ours. */
export interface LetterDetails {
  readonly verify_email: { readonly link: string }
  readonly reset_password: { readonly link: string }
  /** Sent to an address that has no account, so that both cases take equally long and look alike. */
  readonly reset_without_account: Record<never, never>
  /** Sent to an address that is not registered when a link to confirm it was asked for. */
  readonly verify_without_account: { readonly registerLink: string }
  readonly already_registered: { readonly loginLink: string }
  /** Sent to an address that was registered more than once before it was confirmed. */
  readonly registered_again: { readonly link: string }
  readonly confirm_new_email: { readonly link: string }
  readonly login_code: { readonly code: string; readonly minutes: number }
  readonly factor_removal: {
    readonly link: string
    readonly askedAt: string
    readonly address: string
    readonly removesAt: string
  }
  readonly invitation: {
    readonly link: string
    readonly invitedBy: string
    readonly role: string
    readonly days: number
  }
}

/** Messages that report something that has happened. Times are ISO 8601 in UTC. */
export interface NoticeDetails {
  readonly new_login: { readonly at: string; readonly address: string; readonly browser: string }
  readonly password_changed: { readonly at: string; readonly address: string }
  readonly email_change_asked: {
    readonly newEmail: string
    readonly at: string
    readonly address: string
  }
  readonly email_changed: { readonly newEmail: string; readonly at: string }
  readonly login_deleted: { readonly at: string }
  readonly passkey_added: { readonly name: string; readonly at: string }
  readonly passkey_removed: { readonly name: string; readonly at: string }
  readonly factor_kept: { readonly at: string }
  readonly factor_removed: { readonly at: string }
  readonly chat_linked: { readonly name: string; readonly at: string }
  readonly chat_unlinked: { readonly name: string; readonly at: string }
  readonly authenticator_on: { readonly at: string }
  readonly authenticator_off: { readonly at: string }
  readonly mail_codes_on: { readonly at: string }
  readonly mail_codes_off: { readonly at: string }
  readonly recovery_codes_renewed: { readonly at: string }
  readonly key_created: { readonly name: string; readonly last4: string; readonly at: string }
  readonly key_rotated: {
    readonly name: string
    readonly last4: string
    readonly overlapHours: number
    readonly at: string
  }
  readonly webhook_failing: {
    readonly url: string
    readonly hours: number
    readonly since: string
  }
  readonly webhook_disabled: { readonly url: string; readonly reason: string }
  readonly withdrawal_waiting: {
    readonly id: string
    /** Decimal text in US dollars. */
    readonly amount: string
    readonly destination: string
  }
  /** Decimal texts in the wallet's currency. */
  readonly low_balance: {
    readonly balance: string
    readonly threshold: string
    readonly currency: string
    readonly at: string
  }
  readonly withdrawal_to_release: {
    readonly id: string
    /** Decimal text in US dollars. */
    readonly amount: string
    readonly destination: string
    readonly reason: string
  }
  readonly destination_added: { readonly address: string; readonly at: string }
  /** Null: the webhook endpoint approves withdrawals again. */
  readonly payout_callback_set: { readonly url: string | null; readonly at: string }
  readonly member_left: { readonly email: string; readonly at: string }
  readonly account_closed: { readonly name: string; readonly at: string }
  readonly account_suspended: { readonly reason: string; readonly at: string }
  readonly account_reactivated: { readonly at: string }
}

export interface MailDetails extends LetterDetails, NoticeDetails {}

export type MailTemplate = keyof MailDetails

export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export function renderMail<T extends MailTemplate>(
  template: T,
  details: MailDetails[T],
): RenderedMail {
  const { subject, paragraphs } = TEMPLATES[template](isolatedTexts(withReadableTimes(details)))
  return { subject, text: textOf(paragraphs), html: htmlOf(subject, paragraphs) }
}

interface Content {
  readonly subject: string
  readonly paragraphs: readonly Paragraph[]
}

const NOT_YOU = 'If this was not you, change your password and end all sessions in the dashboard.'
const NOT_YOUR_FACTOR =
  'If this was not you, remove it in the dashboard first: it stays when the password is changed. Then change your password. If you can no longer log in, contact us immediately.'
const IGNORE = 'If you did not ask for this, ignore this message. Nothing changes.'

const TEMPLATES: { readonly [T in MailTemplate]: (details: MailDetails[T]) => Content } = {
  verify_email: ({ link }) => ({
    subject: 'Confirm your email',
    paragraphs: [
      'Confirm that this address is yours to finish your registration with Tradepost.',
      { link, label: 'Confirm email' },
      'This link expires in 24 hours and can be used once.',
      IGNORE,
    ],
  }),
  reset_password: ({ link }) => ({
    subject: 'Choose a new password',
    paragraphs: [
      'You asked to reset the password of your Tradepost account.',
      { link, label: 'Choose a new password' },
      'This link expires in one hour and can be used once. All sessions end when the password changes.',
      IGNORE,
    ],
  }),
  reset_without_account: () => ({
    subject: 'Password reset at Tradepost',
    paragraphs: [
      'A password reset was requested for this address, but no Tradepost account uses it.',
      'If you have an account, it uses another address.',
      IGNORE,
    ],
  }),
  verify_without_account: ({ registerLink }) => ({
    subject: 'No Tradepost account uses this address',
    paragraphs: [
      'A link to confirm this address was requested, but no Tradepost account uses it. Register first.',
      { link: registerLink, label: 'Register' },
      IGNORE,
    ],
  }),
  already_registered: ({ loginLink }) => ({
    subject: 'You already have a Tradepost account',
    paragraphs: [
      'A registration was requested for this address, which already has an account. Log in, or reset your password there.',
      { link: loginLink, label: 'Log in' },
      IGNORE,
    ],
  }),
  registered_again: ({ link }) => ({
    subject: 'Choose your password',
    paragraphs: [
      'This address was registered with Tradepost, perhaps more than once, and is not confirmed yet. Choose your password: that also confirms the address.',
      { link, label: 'Choose a password' },
      'This link expires in one hour and can be used once. Passwords entered before no longer count then.',
      IGNORE,
    ],
  }),
  login_code: ({ code, minutes }) => ({
    subject: `Your code: ${code}`,
    paragraphs: [
      'Enter this code in the dashboard:',
      { code },
      `It expires in ${minutes} minutes and can be used once. Do not share it: we never ask for it.`,
      NOT_YOU,
    ],
  }),
  new_login: ({ at, address, browser }) => ({
    subject: 'New login to your Tradepost account',
    paragraphs: [`Time: ${at}`, `Address: ${address}`, `Browser: ${browser}`, NOT_YOU],
  }),
  password_changed: ({ at, address }) => ({
    subject: 'Your password was changed',
    paragraphs: [`Time: ${at}`, `Address: ${address}`, 'All other sessions have ended.', NOT_YOU],
  }),
  invitation: ({ link, invitedBy, role, days }) => ({
    subject: 'You are invited to a Tradepost account',
    paragraphs: [
      `${invitedBy} invites you to join a Tradepost account as ${role}.`,
      { link, label: 'View invitation' },
      `This link expires in ${days} days and can be used once.`,
      'If you do not know the sender, ignore this message. Nothing changes.',
    ],
  }),
  confirm_new_email: ({ link }) => ({
    subject: 'Confirm your new email',
    paragraphs: [
      'Confirm that this address is yours to log in to Tradepost with it.',
      { link, label: 'Confirm email' },
      'This link expires in 24 hours and can be used once.',
      IGNORE,
    ],
  }),
  email_change_asked: ({ newEmail, at, address }) => ({
    subject: 'A change of your email was requested',
    paragraphs: [
      `New address: ${newEmail}`,
      `Time: ${at}`,
      `From: ${address}`,
      'It replaces this one once it is confirmed there.',
      NOT_YOU,
    ],
  }),
  email_changed: ({ newEmail, at }) => ({
    subject: 'Your email was changed',
    paragraphs: [
      `New address: ${newEmail}`,
      `Time: ${at}`,
      'You can no longer log in with this address. If this was not you, contact us immediately.',
    ],
  }),
  login_deleted: ({ at }) => ({
    subject: 'Your Tradepost login is deleted',
    paragraphs: [
      `Time: ${at}`,
      'No personal data is kept. The accounts that you were a member of remain.',
    ],
  }),
  passkey_added: ({ name, at }) => ({
    subject: 'A passkey was added to your login',
    paragraphs: [`Name: ${name}`, `Time: ${at}`, 'All other sessions have ended.', NOT_YOUR_FACTOR],
  }),
  passkey_removed: ({ name, at }) => ({
    subject: 'A passkey was removed from your login',
    paragraphs: [`Name: ${name}`, `Time: ${at}`, 'All other sessions have ended.', NOT_YOU],
  }),
  factor_removal: ({ link, askedAt, address, removesAt }) => ({
    subject: 'Your second factor will be removed',
    paragraphs: [
      'The removal of your second factor was requested with your password.',
      `Time: ${askedAt}`,
      `From: ${address}`,
      `It is removed at ${removesAt}, with your passkeys and recovery codes, unless you log in with it before.`,
      'If you did not ask for this, keep it and change your password: someone else knows your password.',
      { link, label: 'Keep my second factor' },
    ],
  }),
  factor_kept: ({ at }) => ({
    subject: 'Your second factor stays',
    paragraphs: [
      `Time: ${at}`,
      'Its removal was stopped because you asked for that, used the factor or set a new password.',
      'If you did not request the removal, change your password unless you have done so since.',
    ],
  }),
  factor_removed: ({ at }) => ({
    subject: 'Your second factor was removed',
    paragraphs: [
      `Time: ${at}`,
      'Your passkeys and recovery codes were removed as well, and all sessions have ended. Log in with your password and set up another factor.',
      'If this was not you, reset your password and contact us immediately.',
    ],
  }),
  chat_linked: ({ name, at }) => ({
    subject: 'A chat account was linked to your login',
    paragraphs: [`Chat account: ${name}`, `Time: ${at}`, NOT_YOU],
  }),
  chat_unlinked: ({ name, at }) => ({
    subject: 'The chat account was unlinked from your login',
    paragraphs: [`Chat account: ${name}`, `Time: ${at}`, NOT_YOU],
  }),
  authenticator_on: ({ at }) => ({
    subject: 'An authenticator app was added to your login',
    paragraphs: [`Time: ${at}`, 'All other sessions have ended.', NOT_YOUR_FACTOR],
  }),
  authenticator_off: ({ at }) => ({
    subject: 'Your authenticator app was turned off',
    paragraphs: [`Time: ${at}`, 'All other sessions have ended.', NOT_YOU],
  }),
  mail_codes_on: ({ at }) => ({
    subject: 'Codes by email were turned on',
    paragraphs: [
      `Time: ${at}`,
      'Each login with your password now needs a code that we send to this address. All other sessions have ended.',
      NOT_YOU,
    ],
  }),
  mail_codes_off: ({ at }) => ({
    subject: 'Codes by email were turned off',
    paragraphs: [`Time: ${at}`, 'All other sessions have ended.', NOT_YOU],
  }),
  recovery_codes_renewed: ({ at }) => ({
    subject: 'You have new recovery codes',
    paragraphs: [`Time: ${at}`, 'Your previous codes no longer work.', NOT_YOU],
  }),
  webhook_failing: ({ url, hours, since }) => ({
    subject: `Your webhook endpoint has failed for ${hours} hours`,
    paragraphs: [
      `Endpoint: ${url}`,
      `No delivery has succeeded for ${hours} hours, since ${since}. We keep trying.`,
      'After 72 hours the endpoint is disabled. What it missed is kept for 30 days and can be sent again from the dashboard.',
    ],
  }),
  webhook_disabled: ({ url, reason }) => ({
    subject: 'Your webhook endpoint is disabled',
    paragraphs: [
      `Endpoint: ${url}`,
      `Reason: ${reason}.`,
      'Nothing is sent to it now. Fix it, enable it in the dashboard, and resend what it missed within 30 days.',
    ],
  }),
  withdrawal_waiting: ({ id, amount, destination }) => ({
    subject: 'A withdrawal is under review',
    paragraphs: [
      `Withdrawal: ${id}`,
      `Amount: ${amount} USD`,
      `To: ${destination}`,
      'It is above a limit, so it is reviewed before it is sent. There is nothing to do.',
      NOT_YOU,
    ],
  }),
  low_balance: ({ balance, threshold, currency, at }) => ({
    subject: 'Your balance is low',
    paragraphs: [
      `Balance: ${balance} ${currency}`,
      `Your threshold: ${threshold} ${currency}`,
      `Time: ${at}`,
      'What costs more than the balance is refused. Pay in, or change the threshold, on the wallet’s page of the dashboard.',
      'There is another mail only after the balance was a tenth above the threshold, or the threshold was changed.',
    ],
  }),
  withdrawal_to_release: ({ id, amount, destination, reason }) => ({
    subject: 'A withdrawal waits for an administrator',
    paragraphs: [
      `Withdrawal: ${id}`,
      `Amount: ${amount} USD`,
      `To: ${destination}`,
      `Why: ${reason}`,
      'Release or refuse it in the dashboard, under “Withdrawals that wait”.',
    ],
  }),
  destination_added: ({ address, at }) => ({
    subject: 'A payout destination was added',
    paragraphs: [
      `Address: ${address}`,
      `Time: ${at}`,
      'Withdrawals to it are possible after 24 hours. If you do not know it, remove it before then.',
      NOT_YOU,
    ],
  }),
  payout_callback_set: ({ url, at }) => ({
    subject: 'Withdrawals are approved at another address',
    paragraphs: [
      `Approved at: ${url ?? 'your webhook endpoint'}`,
      `Time: ${at}`,
      'Each withdrawal from payout custody is asked for there from now on.',
      NOT_YOU,
    ],
  }),
  member_left: ({ email, at }) => ({
    subject: 'A member has left your Tradepost account',
    paragraphs: [
      `Member: ${email}`,
      `Time: ${at}`,
      'API keys that this person made go on working: revoke those, too.',
    ],
  }),
  account_closed: ({ name, at }) => ({
    subject: 'Your Tradepost account is closed',
    paragraphs: [
      `Account: ${name}`,
      `Time: ${at}`,
      'Its keys are revoked, its endpoint is disabled, and all sessions have ended. Logins that act for no other account are deleted.',
      'If this was not you, write to us at once.',
    ],
  }),
  account_suspended: ({ reason, at }) => ({
    subject: 'Your Tradepost account is suspended',
    paragraphs: [
      `Reason: ${reason}`,
      `Time: ${at}`,
      'Its keys open nothing new. Trades that are under way go on, and you can log in and read.',
    ],
  }),
  account_reactivated: ({ at }) => ({
    subject: 'Your Tradepost account works again',
    paragraphs: [`Time: ${at}`, 'The suspension has ended, and its keys work as before.'],
  }),
  key_created: ({ name, last4, at }) => ({
    subject: 'An API key was created',
    paragraphs: [`Name: ${name}`, `Ends in: ${last4}`, `Time: ${at}`, NOT_YOU],
  }),
  key_rotated: ({ name, last4, overlapHours, at }) => ({
    subject: 'An API key was rotated',
    paragraphs: [
      `Name: ${name}`,
      `The new key ends in: ${last4}`,
      `The old key works for ${overlapHours} more hours.`,
      `Time: ${at}`,
      NOT_YOU,
    ],
  }),
}

function textOf(paragraphs: readonly Paragraph[]): string {
  const lines = paragraphs.map((paragraph) => {
    if (typeof paragraph === 'string') return paragraph
    return 'link' in paragraph ? `${paragraph.label}:\n${paragraph.link}` : paragraph.code
  })
  return `${[...lines, SIGNATURE].join('\n\n')}\n`
}
