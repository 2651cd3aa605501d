// How the pages are bundled: hashed names for everything but the page itself, no inline code or style.
import { defineConfig } from 'vite'

const FIRST_SCRIPTS = new Set(['index', 'kit'])
/** While it is being worked on (`npm run dev`): the service that answers the pages. */
const { SERVICE_URL } = process.env

export default defineConfig({
  base: '/dashboard/',
  // The service takes changes from pages of its own origin only.
  ...(SERVICE_URL && {
    server: {
      proxy: {
        '/dashboard/api': { target: SERVICE_URL, headers: { origin: SERVICE_URL } },
        '/assets/items': SERVICE_URL,
        '/market/live': { target: SERVICE_URL, ws: true },
      },
    },
    clearScreen: false,
  }),
  build: {
    target: 'es2023',
    // Small files as well: the policy of the pages forbids inline images and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
    emptyOutDir: true,
    // One small style sheet, and what all pages share in one script: a page is then one more request. All the
    // packages that the first page needs are in it: small shared scripts cost it more than their bytes.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        // Nearly all of the first scripts runs at once. V8 then compiles them while they arrive, beside the
        // page's own thread, instead of function by function when each is first called.
        postBanner: ({ name }) => (FIRST_SCRIPTS.has(name) ? '//# allFunctionsCalledOnLoad' : ''),
        codeSplitting: {
          groups: [
            {
              name: 'kit',
              test: /\/src\/(?:kit\/(?:chart\/(?!range)|(?!qr)[^/]+$)|queries|api|texts\/(?!languages|(?:en\/)?(?:admin|figures|money|records|trade)\.ts)|shell\/(?:hit-links|navigation|palette|anonymous|shell\.module)|routes\/search|market-names|pages\/(?:commands|tones|overview\/(?:dates|overview\.module|spans|state-shares)|anonymous\/send-again))|\/node_modules\/(?:react|scheduler|@tanstack\/(?!(?:react-)?virtual))/,
            },
          ],
        },
      },
      // Packages for server components say so in a directive that means nothing in a browser.
      onLog: (level, log, report) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log)
      },
    },
  },
})
