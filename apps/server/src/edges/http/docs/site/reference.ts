// The page of the reference: the frame of every page around a viewer that brings its own list of routes. The
// menu of the site opens from the bar, because the viewer's list stands at the left.
import { headerHtml, LOOK } from './frame.ts'
import { menuHtml } from './layout.ts'
import { REFERENCE_URL } from './pages.ts'

export const referencePage = (): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>API reference · Tradepost</title>
    ${LOOK}
    <link rel="stylesheet" href="/docs/reference.css">
    <script type="module" src="/docs/site.mjs"></script>
  </head>
  <body>
    <a class="skip" href="#app">Skip to the reference</a>
    ${headerHtml(MENU)}
    <div id="app" tabindex="-1"></div>
    <noscript><a href="/docs">The guides</a> can be read without JavaScript, the reference cannot. The document itself is at /openapi/merchant.json.</noscript>
    <script src="/docs/viewer.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const MENU = `
      <nav class="menu" aria-label="Pages">
        <details class="drop">
          <summary>Menu</summary>
          <div>
${menuHtml(REFERENCE_URL)}
          </div>
        </details>
      </nav>`

/** Everything that the viewer would fetch from its makers, or send there, is turned off. */
export function startScript(names: readonly string[]): string {
  const configuration = {
    sources: names.map((name) => ({ title: name, slug: name, url: `/openapi/${name}.json` })),
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    // The bar has both, for all pages.
    hideSearch: true,
    hideDarkModeToggle: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    persistAuth: false,
  }
  return `Scalar.createApiReference('#app', ${JSON.stringify(configuration)})\n`
}
