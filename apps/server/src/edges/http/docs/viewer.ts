// The script that draws the reference. Its package ships it inside a plugin for the web framework and
// nowhere else, so the plugin is put on an instance that never listens and asked for it there. That
// happens at the first visit: a server whose documentation is not read does not carry the four megabytes.
import { fastify } from 'fastify'

/** What its examples and its empty field show in the place of a key. */
const MAKERS_KEYS = /YOUR_SECRET_TOKEN|QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT/g

export async function loadViewer(): Promise<string> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const host = fastify()
  await host.register(reference, {
    routePrefix: '/docs',
    configuration: { url: '/openapi/merchant.json' },
  })
  const response = await host.inject('/docs/js/scalar.js')
  await host.close()
  if (response.statusCode !== 200) throw new Error('the viewer of the reference was not found')
  return response.body
    .replace(/\n?\/\/# sourceMappingURL=\S+\s*$/, '\n')
    .replaceAll(MAKERS_KEYS, 'YOUR_API_KEY')
}
