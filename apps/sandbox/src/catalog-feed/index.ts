import { ControlFault, readBody } from '../control/body.ts'
import type { Party, PartyContext } from '../party/party.ts'
import { createCatalogueFiles } from './routes.ts'

export const createCatalogFeed = ({ keeper }: PartyContext): Party => {
  const files = createCatalogueFiles(keeper.dataset.catalogue)
  return {
    protocols: [{ prefix: '/catalog', routes: files.routes }],
    state: () => ({ catalog: { hidden: files.hidden() } }),
    controls(app) {
      /** `hidden`: names that the lists of items leave out, as if they were newer than the lists */
      app.put('/catalog', async (request) => {
        files.hide(namesIn(readBody(request.body, ['hidden']).hidden))
        return { hidden: files.hidden() }
      })
    },
  }
}

function namesIn(value: unknown): readonly string[] {
  const isList = Array.isArray(value) && value.every((name) => typeof name === 'string')
  if (!isList) throw new ControlFault(400, 'hidden must be a list of market hash names.')
  return value
}
