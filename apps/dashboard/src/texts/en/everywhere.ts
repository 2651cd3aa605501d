// Texts that every page shares.
import type { DashboardRefusal } from '@tradepost/contract'

/** What the browser itself refuses, or what a route refuses for a narrower cause. */
type OwnKey =
  | 'LAST_OWNER'
  | 'MAIL_OFF'
  | 'FACTOR_OF_ADMINISTRATOR'
  | 'PASSKEY_NOT_USED'
  | 'PASSKEY_KNOWN'
  | 'PASSKEY_WRONG_SITE'

type RefusalKey = DashboardRefusal | OwnKey

const OF_SESSIONS = {
  INVALID_CREDENTIALS: 'The e-mail address or the password is wrong.',
  EMAIL_NOT_VERIFIED: 'Open the link in the mail that we sent you, then log in.',
  PASSWORD_TOO_WEAK:
    'This password is one of the most common ones, your address, or a few characters again and again. Several words make a good one.',
  TOKEN_INVALID: 'This link was used or has expired. Have a new one sent.',
  TWO_FACTOR_REQUIRED: 'Your login has a second factor. Log in again and give it.',
  TWO_FACTOR_INVALID: 'This code is wrong, or it was used already.',
  TWO_FACTOR_EXPIRED: 'This step took too long. Begin again.',
  TWO_FACTOR_FRESH_REQUIRED: 'This needs your second factor again. Give it, then try again.',
  TWO_FACTOR_SETUP_REQUIRED:
    'Administrators need a second factor: set up an authenticator app or a passkey first, under “Your login”. Codes by mail are not enough.',
  TWO_FACTOR_ALREADY_ENABLED:
    'Codes of an app or by mail are asked for already. Turn them off to set up another way.',
  TWO_FACTOR_NOT_ENABLED: 'The second factor of your login is off already.',
  FACTOR_OF_ADMINISTRATOR:
    'The second factor of an administrator is removed by the operator of the service only.',
  LAST_OWNER:
    'You are the last owner of an account. Make another member an owner first, or close the account.',
  ACCOUNT_HAS_FUNDS:
    'The account still holds money, or something is under way. Pay out what is left, wait for what is open, then close it.',
  PASSKEY_NOT_USED: 'No passkey was used. Try again, or choose another way.',
  PASSKEY_KNOWN: 'This device has a passkey for your login already.',
  PASSKEY_WRONG_SITE:
    'Passkeys work at the public address of the service only: on this machine that is localhost, not 127.0.0.1.',
  CHAT_UNAVAILABLE: 'The chat platform does not answer. Nothing was linked; try again in a minute.',
  CHAT_ACCOUNT_TAKEN: 'This chat account is linked to another login. Unlink it there first.',
  UNAUTHENTICATED: 'You were logged out. Nothing was changed.',
  SESSION_EXPIRED: 'You were logged out. Nothing was changed.',
  CSRF_TOKEN_INVALID: 'This page is out of date. Load it again, then repeat what you did.',
} as const

const OF_MONEY = {
  SPENDING_LIMIT_REACHED: 'This would exceed a spending limit. No money was moved.',
  INSUFFICIENT_BALANCE: 'The wallet does not hold enough for this. Nothing was moved.',
  IDEMPOTENCY_CONFLICT:
    'This form was sent before with other values. Close it and look whether the first one was done.',
  GATEWAY_UNAVAILABLE:
    'The payment provider does not answer: try again in a minute. Where this way of paying is not set up, waiting does not help: ask the operator of the service.',
  DEPOSIT_NOT_FOUND: 'There is no such deposit, or it is not yours.',
  DEPOSIT_NOT_CANCELLABLE: 'A payment was seen, or the deposit has ended: it cannot be cancelled.',
  DEPOSIT_AMOUNT_OUT_OF_RANGE: 'The amount is too small or too large for this way of paying.',
  DEPOSIT_CHAIN_UNSUPPORTED: 'This currency cannot be paid on this chain. Choose another one.',
  QUOTE_INVALID: 'This quote was used already. Ask for a new one.',
  QUOTE_EXPIRED: 'This quote has expired. Ask for a new one.',
  CRYPTO_PAYOUT_NOT_FOUND: 'There is no such withdrawal, or it is not yours.',
  CRYPTO_PAYOUT_DESTINATION_INVALID:
    'This address cannot be paid. Compare it with the one that you were given, capital letters included; with a list of destinations it has to be one of them for a day.',
  CRYPTO_PAYOUT_INSUFFICIENT_BALANCE:
    'Custody does not hold enough of this token on this chain. Nothing was set aside.',
  CRYPTO_PAYOUT_NO_CALLBACK_URL:
    'There is no endpoint that could approve it. Set a webhook endpoint first, or enable it again.',
  CRYPTO_PAYOUT_CHAIN_UNSUPPORTED: 'Nothing can be paid out in this token on this chain now.',
  CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE: 'A withdrawal is from $1.00 to $100,000.00.',
} as const

const KEYS = {
  ...OF_SESSIONS,
  ...OF_MONEY,
  ACCOUNT_SUSPENDED: 'Your account is suspended: you can read, and change nothing.',
  FORBIDDEN: 'Your role may not do this.',
  RATE_LIMITED: 'Too many tries. Wait a moment, then try again.',
  SERVICE_DISABLED:
    'This is paused, or the service is too busy now: try again in a few minutes. Where it is not set up, waiting does not help: ask the operator of the service. Nothing was done.',
  MAIL_OFF:
    'This needs a mail, and mail is not set up here: ask the operator of the service. Nothing was done.',
  INTERNAL_ERROR:
    'The service failed on its side. If you were changing something, look whether it was done before you repeat it.',
  NOT_FOUND: 'There is nothing here, or it is not yours.',
  ITEM_NOT_FOUND: 'There is no such item on the market.',
  TRADE_NOT_FOUND: 'There is no such trade, or it is not yours.',
  USER_NOT_FOUND: 'There is no such sub-user or child, or it is not yours.',
  USER_DELETED: 'A deleted sub-user had this external id. Choose another one.',
  EXTERNAL_ID_TAKEN:
    'Another sub-user has this external id, or had it when it was deleted. Choose another one.',
  USER_HAS_FUNDS_OR_OPEN_TRADES:
    'The sub-user still holds money, or something of it is under way. Take its money back, wait for what is open, then delete it.',
  WEBHOOK_LIMIT_REACHED: 'An account can have at most ten endpoints. Change or remove one of them.',
  VALIDATION_FAILED: 'Something in the form is not right.',
  BAD_REQUEST: 'The service could not read this request. Load the page again, then repeat it.',
} as const satisfies Record<RefusalKey, string>

export const everywhere = {
  product: 'Tradepost',
  skip: 'Skip to the content',
  loading: 'Loading…',
  readOnly:
    'You can read this, not change it: that takes another role, which an owner gives on the page “Team”.',
  actions: {
    logIn: 'Log in',
    logOut: 'Log out',
    register: 'Register',
    cancel: 'Cancel',
    close: 'Close',
    retry: 'Try again',
    copy: 'Copy',
    copied: 'Copied',
    confirm: 'Confirm',
    save: 'Save',
    saved: 'Saved.',
    more: 'Load more',
  },
  accountSuspended:
    'This account is suspended: everything can be read, and nothing changed. The service has written to its owners.',
  tradingPaused:
    'Trading is paused: no buy and no sell is accepted. Trades under way, deposits and withdrawals go on. Paused since',
  look: {
    at: (name: string, reason: string) =>
      `You are looking at ${name} as an administrator, and change nothing (${reason}). Until`,
    end: 'Back to administration',
  },
  errors: {
    title: 'Something went wrong',
    offline: 'The service cannot be reached. Look at your connection, then try again.',
    feesTakeAll: (least: string | null) =>
      `The fees leave nothing of this amount.${least === null ? '' : ` Now they leave something from ${least} on.`}`,
    destinations: {
      malformed: 'An address is 0x and 40 hexadecimal digits.',
      checksum:
        'The checksum of this address is wrong: compare it with the one that you were given, capital letters included.',
      zero_address: 'This is the zero address: what is sent there is lost.',
      token_contract: 'This is the contract of a token: what is sent there is lost.',
      own_address: 'This is an address of this service. Name one outside.',
      not_listed: 'This address is not on your list of destinations, or not yet for a day.',
    } as Readonly<Record<string, string>>,
    depositRange: (least: string, most: string) =>
      `For this way of paying the amount has to be between ${least} and ${most}, or as much in your currency.`,
    setUpFactor: 'Set it up',
    logInAgain: 'Log in again',
    request: (key: string, id: string) => `${key}, request ${id}`,
    keys: KEYS as Readonly<Record<RefusalKey, string> & Partial<Record<string, string>>>,
  },
  notFound: {
    title: 'No such page',
    text: 'This page does not exist.',
    home: 'Go to the overview',
  },
}
