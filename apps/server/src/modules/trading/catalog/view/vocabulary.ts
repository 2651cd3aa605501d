// Which items have which words. Built once for a catalogue; every answer is a set of items.
import { memoized } from '#infra/process/memo'
import { add, type Bitset, count, emptySet, intersect, isEmpty, subtract, unite } from './bitset.ts'
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
   * Items that have every word of the text, each as the beginning of one of theirs; names as typed come
   * before what nicknames find. Only when there is none, words of five letters and more may have one typing
   * error. Null for a text without words. The sets are shared: do not write to them.
   */
  find(text: string): TextMatch | null
}

const MIN_LETTERS_FOR_ERRORS = 5
/** The beginning of a nickname finds it from so many letters on: "deag", but "f" is not all that is "ft". */
const MIN_LETTERS_OF_NICKNAMES = 3
const REMEMBERED_WORDS = 500
const REMEMBERED_TEXTS = 200

export interface SearchText {
  readonly name: string
  readonly otherText: string
  /** Words that mean the item and need not be in its name. */
  readonly nicknames: readonly string[]
}

export interface VocabularyBuilder {
  /** Items come in the order of their ordinals. */
  add(ordinal: number, text: SearchText): void
  build(size: number): Vocabulary
}

export function createVocabularyBuilder(): VocabularyBuilder {
  const postings = new Map<string, number[]>()
  const nicknames = new Map<string, number[]>()
  const wholeNames = new Map<string, number[]>()
  return {
    add: (ordinal, { name, otherText, nicknames: others }) => {
      const own = searchWordsOf(`${name} ${otherText}`)
      for (const word of own) append(postings, word, ordinal)
      for (const word of others) if (!own.has(word)) append(nicknames, word, ordinal)
      append(wholeNames, wordsOf(name).join(' '), ordinal)
    },
    build: (size) =>
      createVocabulary(size, { postings, wholeNames, ...createNicknames(size, nicknames) }),
  }
}

type Postings = ReadonlyMap<string, readonly number[]>

interface Nicknames {
  /** Items that are called so; undefined when there is none. */
  called(word: string): Bitset | undefined
  /** Items of which a nickname begins so. */
  calledFrom(beginning: string): Bitset | undefined
}

/** Some hundred words in all, most of them of thousands of items: they are united when the index is built. */
function createNicknames(size: number, postings: Postings): Nicknames {
  const sets = new Map<string, Bitset>()
  const beginnings = new Map<string, Bitset>()
  for (const [word, ordinals] of postings) {
    const set = emptySet(size)
    for (const ordinal of ordinals) add(set, ordinal)
    sets.set(word, set)
    for (let length = 1; length <= word.length; length++) {
      if (length < MIN_LETTERS_OF_NICKNAMES && length < word.length) continue
      const beginning = word.slice(0, length)
      beginnings.set(beginning, union(set, beginnings.get(beginning)))
    }
  }
  return {
    called: (word) => sets.get(word),
    calledFrom: (beginning) => beginnings.get(beginning),
  }
}

function createVocabulary(
  size: number,
  {
    postings,
    wholeNames,
    called,
    calledFrom,
  }: Nicknames & { readonly postings: Postings; readonly wholeNames: Postings },
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
    const nicknames = asked.map(calledFrom)
    const hasNicknames = nicknames.some((set) => set !== undefined)
    const withNicknames = (of: (word: string) => Bitset, sets = nicknames): Bitset =>
      intersection(asked.map((word, i) => union(of(word), sets[i])))
    const understood = hasNicknames ? withNicknames(beginning) : exact
    if (isEmpty(understood)) return matchOf([withNicknames(mistyped)])
    const allWhole = intersection(asked.map(whole))
    const typing = intersection([...asked.slice(0, -1).map(whole), exact])
    if (!hasNicknames) return matchOf([wholeName, allWhole, typing, exact])
    // Of what "st" begins, StatTrak before Steel.
    const meant = intersection([exact, withNicknames(whole, asked.map(called))])
    return matchOf([wholeName, allWhole, meant, union(meant, typing), exact, understood])
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

function union(left: Bitset, right: Bitset | undefined): Bitset {
  if (right === undefined) return left
  const both = left.slice()
  unite(both, right)
  return both
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
