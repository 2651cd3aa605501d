import type { NoticeFault } from './sender.ts'

const WORDS: Readonly<Record<string, NoticeFault>> = {
  notice_lost: { kind: 'lost' },
  notice_doubled: { kind: 'doubled' },
  notice_reordered: { kind: 'reordered' },
  notice_forged: { kind: 'forged' },
}

/** One of the words that apply to a notice; null for another word. */
export function parseNoticeFault(word: string): NoticeFault | null {
  if (Object.hasOwn(WORDS, word)) return WORDS[word] ?? null
  const seconds = /^notice_delayed:(\d{1,5})$/.exec(word)?.[1]
  return seconds === undefined ? null : { kind: 'delayed', durationMs: Number(seconds) * 1000 }
}

export const isNoticeWord = (word: string): boolean => parseNoticeFault(word) !== null
