// What the service says to operators names runbooks by their files in the repository, as the command line
// prints them. On a page each is a link to where the documentation shows it to administrators.
import { texts } from '../texts/texts.ts'

const PATH = /(docs\/runbooks\/[\w-]+\.md(?:#[\w-]+)?)/

/** A sentence of the service, or a path alone. */
export const WithRunbooks = ({ children }: { readonly children: string }) =>
  children
    .split(PATH)
    .map((part, i) => (i % 2 === 0 ? part : <RunbookLink key={part} path={part} />))

function RunbookLink({ path }: { readonly path: string }) {
  const [address = '', anchor] = path.replace('.md', '').split('#')
  const [page = ''] = address.split('/').slice(-1)
  return (
    <a href={`/${address}${anchor === undefined ? '' : `#${anchor}`}`}>
      {texts.kit.runbook(page.replaceAll('-', ' '))}
    </a>
  )
}
