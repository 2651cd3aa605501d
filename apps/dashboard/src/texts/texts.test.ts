// Another language is a file: it is complete, and its readers get it.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { chooseLanguage, language, type Texts } from './catalogue.ts'
import { en } from './en.ts'
import { formatCount, formatPercent, setLocale } from './locale.ts'

/** Every place of a text, with its kind. */
const placesOf = (of: unknown, path = ''): string[] =>
  typeof of === 'object' && of !== null
    ? Object.entries(of).flatMap(([name, each]) => placesOf(each, `${path}/${name}`))
    : [`${path}: ${typeof of}`]

describe('a catalogue', () => {
  /** Each English text in brackets: what a page shows of it is not English. */
  const bracketed = (of: unknown): unknown => {
    if (typeof of === 'string') return `[${of}]`
    if (typeof of === 'function') {
      return (...values: unknown[]) => bracketed((of as (...all: unknown[]) => unknown)(...values))
    }
    return Object.fromEntries(
      Object.entries(of as object).map(([name, each]) => [name, bracketed(each)]),
    )
  }

  it('of another language has other texts in the same places', () => {
    const { texts } = language(bracketed(en) as Texts)
    assert.equal(texts.actions.save, '[Save]')
    assert.equal(texts.kit.list.since('Monday'), '[since Monday]')
    assert.deepEqual(placesOf(texts), placesOf(en))
  })

  it('lacks no text: one that does is none to the compiler', () => {
    type IsWhole = { readonly product: string } extends Texts ? true : false
    const isWhole: IsWhole = false
    assert.equal(isWhole, false)
  })

  it('in languages/ has every text of the English one', async () => {
    const folder = join(import.meta.dirname, 'languages')
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.ts'))) {
      const { default: made } = await import(join(folder, name))
      assert.deepEqual(placesOf(made.texts), placesOf(en), name)
    }
  })
})

describe('the language of a reader', () => {
  const KNOWN = ['en', 'de', 'pt-BR'] as const
  const of = (preferred: readonly string[], setting: string | null = null) => {
    const { language: tag, locale } = chooseLanguage([...KNOWN], { setting, preferred })
    return `${tag} ${locale}`
  }

  it('is the first that the browser prefers and that is known, in the form of its region', () => {
    assert.equal(of(['fr-FR', 'de-AT', 'en-GB']), 'de de-AT')
    assert.equal(of(['en-GB', 'de']), 'en en-GB')
    assert.equal(of(['pt-PT', 'pt-BR']), 'pt-BR pt-BR')
  })

  it('is English where none is known, or where the browser names none', () => {
    assert.equal(of(['fr-FR']), 'en en')
    assert.equal(of([]), 'en en')
    assert.equal(of(['en-US@posix']), 'en en')
  })

  it('is the one that was set, while it is known', () => {
    assert.equal(of(['en-GB', 'de-CH'], 'de'), 'de de-CH')
    assert.equal(of(['en-GB'], 'de'), 'de de')
    assert.equal(of(['en-GB'], 'fr'), 'en en-GB')
  })
})

it('numbers are written as the reader’s locale does, in every text', (t) => {
  t.after(() => setLocale('en'))
  assert.deepEqual([formatCount(1234), formatPercent(1250)], ['1,234', '12.50'])
  setLocale('de-DE')
  assert.deepEqual([formatCount(12_345), formatPercent(1250)], ['12.345', '12,50'])
  assert.equal(en.kit.list.loaded(12_345, false), '12.345 rows')
})
