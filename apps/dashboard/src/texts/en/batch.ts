// Batches of withdrawals.
export const batch = {
  title: 'New batch of withdrawals',
  one: 'Batch of withdrawals',
  act: 'Withdraw many',
  none: 'No batch yet. Create one here from a CSV file, or let your server do it with POST /payout/crypto/batches.',
  progress: 'Progress',
  count: 'Withdrawals',
  text: 'Withdrawals as CSV',
  textHint:
    'The first line names the columns: externalId, chain, token, destination, amount (US dollars) and, if you like, forUser. At most 500 withdrawals.',
  file: 'From a file',
  reference: 'External id of the batch',
  referenceHint: 'A batch under the same one never pays twice.',
  next: 'Check',
  review: 'Review the batch',
  line: 'Line',
  problem: 'Problem',
  refused: (count: string) =>
    `${count} of these would be refused, and then nothing is withdrawn. Correct them and check again.`,
  sum: 'Amounts',
  aboveLimit: (count: string) =>
    `${count} are above the limit of one withdrawal, so an operator of the service releases them.`,
  approval:
    'Your approval endpoint is asked for each of them. What it approves leaves, and cannot be taken back.',
  confirm: (count: string, amount: string) => `Withdraw ${count} times, ${amount}`,
  back: 'Change it',
  problems: {
    columns: (names: string) => `The first line must name ${names}.`,
    quotation: 'A quotation mark is misplaced.',
    empty: 'There is no withdrawal.',
    tooMany: 'There are more than 500 withdrawals.',
    externalId: 'The external id is missing or longer than 128 characters.',
    repeated: 'An earlier line has this external id.',
    token: 'The token must be USDT, USDC or NATIVE.',
    amount: 'The amount must be US dollars such as 25 or 25.50.',
    destination: 'The destination is missing or longer than 128 characters.',
  },
}
