// The CSV of a batch of withdrawals, judged line by line: each says what is wrong with it before anything is
// sent.
import type { CRYPTO_EVM_CHAINS, CreateWithdrawalBody } from '@tradepost/contract'
import { readPayoutBatchCsv } from '@tradepost/contract/payout-batch-csv'
import type { Texts } from '../../texts/catalogue.ts'

/** What can be wrong, in the language of the page. */
type Problems = Texts['money']['batch']['problems']

/** A record of the file, and where it begins, from 1. */
export interface BatchLine {
  readonly line: number
  readonly withdrawal: CreateWithdrawalBody
  /** Null: as far as can be seen here it is right. */
  readonly problem: string | null
}

/** The contract's own, without the schemas that a value from there would bring into the page. */
const CHAINS: typeof CRYPTO_EVM_CHAINS = ['ethereum', 'base', 'arbitrum', 'optimism', 'bsc']
const TOKENS: readonly string[] = ['USDT', 'USDC', 'NATIVE']
const MAX_TEXT = 128
const MAX_LINES = 500

/**
 * The lines, or what is wrong with the file as a whole. A chain may be written as `names` shows it, in any
 * case: so people copy it from the pages.
 */
export function readBatch(
  text: string,
  words: Problems,
  names: Readonly<Record<string, string>>,
): readonly BatchLine[] | string {
  const rows = readPayoutBatchCsv(text)
  if ('problem' in rows) {
    return rows.problem === 'quotation' ? words.quotation : words.columns(rows.missing.join(', '))
  }
  if (rows.length === 0) return words.empty
  if (rows.length > MAX_LINES) return words.tooMany
  const seen = new Set<string>()
  return rows.map(({ line, chain, token, forUser, ...row }) => {
    const withdrawal = {
      ...{ ...row, chain: chainOf(chain, names) ?? chain },
      token: token as CreateWithdrawalBody['token'],
      ...(forUser !== '' && { forUser }),
    }
    const isRepeated = seen.has(withdrawal.externalId)
    seen.add(withdrawal.externalId)
    return { line, withdrawal, problem: isRepeated ? words.repeated : problemOf(withdrawal, words) }
  })
}

function chainOf(text: string, names: Readonly<Record<string, string>>): string | undefined {
  const typed = text.toLowerCase()
  return CHAINS.find((chain) => chain === typed || names[chain]?.toLowerCase() === typed)
}

function problemOf(withdrawal: CreateWithdrawalBody, words: Problems): string | null {
  const { externalId, chain, token, destination, amountCents } = withdrawal
  const isText = (value: string): boolean => value !== '' && [...value].length <= MAX_TEXT
  if (!isText(externalId)) return words.externalId
  if (!(CHAINS as readonly string[]).includes(chain)) return words.chain(chain)
  if (!TOKENS.includes(token)) return words.token
  if (!isText(destination)) return words.destination
  return Number.isSafeInteger(amountCents) && amountCents > 0 ? null : words.amount
}
