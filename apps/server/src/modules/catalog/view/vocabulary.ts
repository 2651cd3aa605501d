// Which items have which words. Built once for a catalogue; every answer is a set of items.
import { memoized } from '#infra/memo'
import { add, type Bitset, count, emptySet, intersect, isEmpty, subtract } from './bitset.ts'
import { beginsWithOneError, compareCodePoints, searchWordsOf, wordsOf } from './words.ts'

export interface TextMatch {
  /** All items that the words find. */
  readonly all: Bitset
  readonly size: number
  /** The same items in groups that do not overlap, the best first; none is empty. */
  readonly groups: readonly Group[]
}

export interface Group {
  readonly set: Bitset
  readonly size: number
}

export interface Vocabulary {
  /**
   * Items that have every word of the text, each as the beginning of one of theirs. Only when there is
   * none, words of five letters and more may have one typing error. Null for a text without words.
   * The sets are shared: do not write to them.
   */
  find(text: string): TextMatch | null
}

const MIN_LETTERS_FOR_ERRORS = 5
const REMEMBERED_WORDS = 500
const REMEMBERED_TEXTS = 200

export interface VocabularyBuilder {
  /** Items come in the order of their ordinals. */
  add(ordinal: number, name: string, otherText: string): void
  build(size: number): Vocabulary
}

export function createVocabularyBuilder(): VocabularyBuilder {
  const postings = new Map<string, number[]>()
  const wholeNames = new Map<string, number[]>()
  return {
    add: (ordinal, name, otherText) => {
      for (const word of searchWordsOf(`${name} ${otherText}`)) append(postings, word, ordinal)
      append(wholeNames, wordsOf(name).join(' '), ordinal)
    },
    build: (size) => createVocabulary(size, postings, wholeNames),
  }
}

function createVocabulary(
  size: number,
  postings: ReadonlyMap<string, readonly number[]>,
  wholeNames: ReadonlyMap<string, readonly number[]>,
): Vocabulary {
  const words = [...postings.keys()].sort(compareCodePoints)
  const lists = words.map((word) => Uint32Array.from(postings.get(word) ?? []))
  const firstLetters = groupByFirstLetter(words)

  const uniteList = (set: Bitset, index: number): void => {
    for (const ordinal of lists[index] as Uint32Array) add(set, ordinal)
  }
  const whole = memoized(REMEMBERED_WORDS, (word: string): Bitset => {
    const set = emptySet(size)
    const index = firstAtLeast(words, word)
    if (words[index] === word) uniteList(set, index)
    return set
  })
  const uniteBeginning = (set: Bitset, word: string): void => {
    for (let i = firstAtLeast(words, word); words[i]?.startsWith(word); i++) uniteList(set, i)
  }
  const beginning = memoized(REMEMBERED_WORDS, (word: string): Bitset => {
    const set = emptySet(size)
    uniteBeginning(set, word)
    return set
  })
  const mistyped = memoized(REMEMBERED_WORDS, (word: string): Bitset => {
    const set = beginning(word).slice()
    if (lettersOf(word) < MIN_LETTERS_FOR_ERRORS) return set
    // An error behind the first letter leaves a word in the group of its letter. One in the first
    // letter is a wrong one, a missing one, one too many or two swapped: each is a beginning to look for.
    for (const i of firstLetters.get(word.charAt(0)) ?? []) {
      if (beginsWithOneError(words[i] as string, word)) uniteList(set, i)
    }
    uniteBeginning(set, word.slice(1))
    uniteBeginning(set, word.charAt(1) + word.charAt(0) + word.slice(2))
    for (const letter of firstLetters.keys()) {
      uniteBeginning(set, letter + word)
      uniteBeginning(set, letter + word.slice(1))
    }
    return set
  })

  const find = (key: string): TextMatch => {
    const asked = key.split(' ')
    const wholeName = emptySet(size)
    for (const ordinal of wholeNames.get(key) ?? []) add(wholeName, ordinal)
    const exact = intersection(asked.map(beginning))
    if (isEmpty(exact)) return matchOf([intersection(asked.map(mistyped))])
    const allWhole = intersection(asked.map(whole))
    const typing = intersection([...asked.slice(0, -1).map(whole), exact])
    return matchOf([wholeName, allWhole, typing, exact])
  }
  const findRemembered = memoized(REMEMBERED_TEXTS, find)
  return {
    find: (text) => {
      const asked = wordsOf(text)
      return asked.length === 0 ? null : findRemembered(asked.join(' '))
    },
  }
}

/** Each tier contains the one before it; the last is everything. */
function matchOf(tiers: readonly Bitset[]): TextMatch {
  const groups = tiers.map((tier, i) => {
    const set = tier.slice()
    const better = tiers[i - 1]
    if (better !== undefined) subtract(set, better)
    return { set, size: count(set) }
  })
  const all = tiers.at(-1) as Bitset
  return { all, size: count(all), groups: groups.filter((group) => group.size > 0) }
}

const lettersOf = (word: string): number => [...word].length

function intersection(sets: readonly Bitset[]): Bitset {
  const [first, ...others] = sets
  const all = (first as Bitset).slice()
  for (const other of others) intersect(all, other)
  return all
}

function append(lists: Map<string, number[]>, key: string, ordinal: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [ordinal])
  else list.push(ordinal)
}

function groupByFirstLetter(words: readonly string[]): ReadonlyMap<string, number[]> {
  const groups = new Map<string, number[]>()
  for (const [i, word] of words.entries()) append(groups, word.charAt(0), i)
  return groups
}

/** The index of the first word that does not come before `asked`. */
function firstAtLeast(words: readonly string[], asked: string): number {
  let low = 0
  let high = words.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareCodePoints(words[middle] as string, asked) < 0) low = middle + 1
    else high = middle
  }
  return low
}
