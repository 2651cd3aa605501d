import { choice, languages, locale, setLanguage, texts } from '../texts/texts.ts'

/** Nothing while there is one language. */
export function LanguageChoice() {
  if (languages.length < 2) return null
  return (
    <label>
      {texts.nav.language}{' '}
      <select value={choice.language} onChange={({ target }) => setLanguage(target.value)}>
        {languages.map((tag) => (
          <option key={tag} value={tag} lang={tag}>
            {new Intl.DisplayNames([tag, locale], { type: 'language' }).of(tag) ?? tag}
          </option>
        ))}
      </select>
    </label>
  )
}
