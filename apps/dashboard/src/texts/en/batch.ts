// Batches of withdrawals.
export const batch = {
  title: 'New batch of withdrawals',
  one: 'Batch of withdrawals',
  act: 'New batch',
  none: 'No batches yet. Create one here from a CSV file, or from your server with POST /payout/crypto/batches.',
  progress: 'Progress',
  count: 'Withdrawals',
  text: 'Withdrawals as CSV',
  textHint:
    'The first line names the columns: externalId, chain, token, destination, amount (US dollars) and, if you like, forUser. Chains: ethereum, base, arbitrum, optimism, bsc. Tokens: USDT, USDC, NATIVE (the chain’s own coin). At most 500 withdrawals.',
  file: 'From a file',
  fileHint: 'Choose a file or paste its text below.',
  reference: 'External id of the batch',
  referenceHint: 'A batch with the same id never pays twice.',
  next: 'Check',
  review: 'Review the batch',
  line: 'Line',
  problem: 'Problem',
  refused: (count: string) =>
    `${count} of these would be refused, so nothing would be withdrawn. Correct them and check again.`,
  sum: 'Amounts',
  fees: 'Network fees',
  aboveLimit: (count: string) =>
    `${count} are above the limit of one withdrawal, so the service reviews them first.`,
  approval:
    'Your approval endpoint is asked about each of them. Approved withdrawals are sent and cannot be reversed.',
  confirm: (count: string, amount: string) => `Send ${count} withdrawals, ${amount}`,
  back: 'Edit',
  problems: {
    columns: (names: string) => `The first line must name ${names}.`,
    quotation: 'A quotation mark is misplaced.',
    empty: 'There are no withdrawals.',
    tooMany: 'There are more than 500 withdrawals.',
    externalId: 'The external id is missing or longer than 128 characters.',
    used: (externalId: string) =>
      `A withdrawal with the external id ${externalId} exists already. Give this one another id.`,
    repeated: 'An earlier line has this external id.',
    chain: (chain: string) =>
      `Unknown chain “${chain}”. Use ethereum, base, arbitrum, optimism or bsc.`,
    token: 'The token must be USDT, USDC or NATIVE.',
    amount: 'The amount must be US dollars such as 25 or 25.50.',
    destination: 'The destination is missing or longer than 128 characters.',
  },
}
