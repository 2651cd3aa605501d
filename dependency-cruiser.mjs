// Which folder may import which. One rule for each wall; each comment says why it exists. ARCHITECTURE.md
// draws the same picture; the two change in one commit.
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { moduleArrows } from './tools/module-arrows.ts'

const S = '^apps/server/src'
/** A module is a folder in one of the wings: `modules/money/ledger`. */
const MODULE = `${S}/modules/[^/]+`

for (const path of globSync('apps/server/src/modules/*/*')) {
  if (!(basename(path) in moduleArrows)) {
    throw new Error(
      `${path} has no line in tools/module-arrows.ts: list the modules it may use, and why`,
    )
  }
}

const moduleRules = Object.entries(moduleArrows).map(([name, arrows]) => {
  const allowed = Object.keys(arrows)
  return {
    name: `module-${name}`,
    comment:
      `modules/${name} may know only: ${allowed.join(', ') || 'no other module'}. A new arrow needs a ` +
      'reason in tools/module-arrows.ts; `npm run docs` then updates ARCHITECTURE.md.',
    severity: 'error',
    from: { path: `${MODULE}/${name}/`, pathNot: '[.]test[.]ts$|/testing/' },
    to: {
      path: `${S}/modules/`,
      pathNot: `${MODULE}/(${[name, ...allowed].join('|')})/`,
    },
  }
})

/** What may not be imported from where; tests and their builders are exempt. */
const wall = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: '[.]test[.]ts$|/testing/|/conformance/' },
  to: { path: to },
})

const DRIVERS = '(^|node_modules/)(fastify|@fastify|pg|undici|ws|redis)(/|$)'

export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'A cycle means that two files are one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'module-by-its-door',
      comment: 'A module enters another by index.ts (what it does) or, for types, ports.ts.',
      severity: 'error',
      from: { path: `${MODULE}/([^/]+)/`, pathNot: '[.]test[.]ts$|/testing/' },
      to: {
        path: `${MODULE}/[^/]+/`,
        pathNot: [`${MODULE}/$1/`, `${MODULE}/[^/]+/index[.]ts$`],
      },
    },
    {
      name: 'outsiders-by-the-door',
      comment:
        'Edges and operations enter a module by index.ts only; ports are for those who fulfil them.',
      severity: 'error',
      from: { path: `${S}/(edges|operations|wire)/`, pathNot: '[.]test[.]ts$|/testing/' },
      to: { path: `${MODULE}/[^/]+/`, pathNot: `${MODULE}/[^/]+/index[.]ts$` },
    },
    {
      name: 'adapters-see-ports-only',
      comment: 'An adapter knows the port that it implements, never the module that asked for it.',
      severity: 'error',
      from: { path: `${S}/adapters/(?!bridges/)` },
      to: { path: `${S}/modules/`, pathNot: `${MODULE}/[^/]+/ports[.]ts$` },
    },
    {
      name: 'bridges-enter-by-the-door',
      comment: 'A bridge implements the port of one module by what other modules can do.',
      severity: 'error',
      from: { path: `${S}/adapters/bridges/`, pathNot: '[.]test[.]ts$|/testing/' },
      to: { path: `${S}/modules/`, pathNot: `${MODULE}/[^/]+/(index|ports)[.]ts$` },
    },
    {
      name: 'adapters-are-separate',
      comment: 'A supplier can be taken away without touching another; common tools are shared/.',
      severity: 'error',
      from: { path: `${S}/adapters/([^/]+)/`, pathNot: '[.]test[.]ts$|/testing/|/conformance/' },
      to: { path: `${S}/adapters/[^/]+/`, pathNot: `${S}/adapters/($1|shared)/` },
    },
    wall(
      'modules-know-no-edge',
      `${S}/modules/`,
      `${S}/(edges|operations|wire|adapters|main)/`,
      'Money logic does not know HTTP, queues or vendors.',
    ),
    wall(
      'modules-speak-no-wire',
      `${S}/modules/`,
      '^packages/contract/',
      'Modules speak the words of the domain; wire/ translates them.',
    ),
    wall(
      'modules-touch-no-io',
      `${S}/(modules|kernel)/`,
      DRIVERS,
      'Input and output go through infra or a port, so that a test can replace them.',
    ),
    wall(
      'operations-are-above-modules',
      `${S}/operations/`,
      `${S}/(edges|wire|adapters|main)/|^packages/contract/`,
      'What an operator does is the same from a page and from a command line.',
    ),
    wall(
      'adapters-know-no-edge',
      `${S}/adapters/(?!bridges/)`,
      `${S}/(edges|operations|wire|main)/|^packages/contract/`,
      'An adapter speaks to suppliers, not to our callers.',
    ),
    wall(
      'bridges-know-no-edge',
      `${S}/adapters/bridges/`,
      `${S}/(edges|operations|main)/`,
      'A bridge joins what is below the edges; it may render what it sends.',
    ),
    wall(
      'edges-know-no-adapter',
      `${S}/edges/`,
      `${S}/(adapters|main)/`,
      'An edge reaches a vendor through a module and its port.',
    ),
    {
      name: 'edges-are-separate',
      comment: 'HTTP, the command line and the jobs change apart; what they share is operations/.',
      severity: 'error',
      from: { path: `${S}/edges/([^/]+)/`, pathNot: '[.]test[.]ts$|/testing/' },
      to: { path: `${S}/edges/[^/]+/`, pathNot: `${S}/edges/$1/` },
    },
    wall(
      'wire-only-translates',
      `${S}/wire/`,
      `${S}/(edges|adapters|infra|main)/`,
      'A view is a pure function of domain values, so HTTP and webhooks can share it.',
    ),
    {
      name: 'interfaces-are-separate',
      comment: 'merchant, partner and dashboard change apart; what they share is http/shared.',
      severity: 'error',
      from: { path: `${S}/edges/http/(merchant|partner|dashboard|live)/` },
      to: {
        path: `${S}/edges/http/(merchant|partner|dashboard|live)/`,
        pathNot: `${S}/edges/http/$1/`,
      },
    },
    wall(
      'shared-edge-knows-no-interface',
      `${S}/edges/http/shared/`,
      `${S}/edges/http/(merchant|partner|dashboard|live)/`,
      'The server takes a list of interfaces: one more is an addition beside the others.',
    ),
    wall(
      'infra-is-below',
      `${S}/infra/`,
      `${S}/(modules|operations|wire|edges|adapters|main)/|^packages/contract/`,
      'Infra could be lifted out into another product.',
    ),
    {
      name: 'kernel-is-the-floor',
      comment: 'Kernel imports nothing of ours.',
      severity: 'error',
      from: { path: `${S}/kernel/` },
      to: { path: `${S}/(?!kernel/)` },
    },
    {
      name: 'embedded-postgres-is-for-processes',
      comment: 'It supervises the database of a development machine: processes and tests start it.',
      severity: 'error',
      from: { path: `${S}/(?!main/)`, pathNot: '[.]test[.]ts$|/testing/|/conformance/' },
      to: { path: '^apps/server/embedded-postgres/' },
    },
    {
      name: 'main-is-the-roof',
      comment:
        'Only processes import main; nothing but main reads the environment and wires the parts. The ' +
        'dashboard of tests is composed by the same parts.',
      severity: 'error',
      from: { path: `${S}/(?!main/)`, pathNot: `${S}/edges/http/testing/` },
      to: { path: `${S}/main/` },
    },
    {
      name: 'tests-look-down',
      comment: 'A test that needs a higher floor belongs there, or to tests/.',
      severity: 'error',
      from: { path: `${S}/(kernel|infra|modules|operations)/` },
      to: { path: `${S}/(edges|adapters)/` },
    },
    {
      name: 'harness-is-outside',
      comment: 'What needs the harness of whole processes is a test of tests/.',
      severity: 'error',
      from: { path: `${S}/` },
      to: { path: '^(tests|tools|bench)/' },
    },
    {
      name: 'contract-is-pure',
      comment: 'It is shipped to browsers and to merchants.',
      severity: 'error',
      from: { path: '^packages/contract/' },
      to: { path: '^(apps|tools|packages/(?!contract/))' },
    },
    {
      name: 'clients-know-the-contract-only',
      comment: 'They are outsiders: what they know of the server they learn through the contract.',
      severity: 'error',
      from: { path: '^(packages/(sdk|cli)|apps/dashboard)/' },
      to: { path: '^apps/(server|sandbox)/' },
    },
    {
      name: 'cli-knows-the-sdk-only',
      comment: 'It can do what any merchant’s program can, and enters the SDK by its doors.',
      severity: 'error',
      from: { path: '^packages/cli/', pathNot: '[.]test[.]ts$|/testing/' },
      to: { path: '^packages/(?!cli/|sdk/src/((partner|live)/)?index[.]ts$)' },
    },
    {
      name: 'sandbox-stands-alone',
      comment:
        'It plays the external parties. Sharing code with the server would share its mistakes.',
      severity: 'error',
      from: { path: '^apps/sandbox/' },
      to: { path: '^(apps/(server|dashboard)|packages)/' },
    },
    {
      name: 'server-knows-no-sandbox',
      comment:
        'The server reaches the sandbox over the network, as it would reach a real supplier.',
      severity: 'error',
      from: { path: '^apps/server/' },
      to: { path: '^apps/sandbox/' },
    },
    {
      name: 'signer-stands-alone',
      comment:
        'It holds the keys. Code that it does not share with the service cannot be changed through it.',
      severity: 'error',
      from: { path: '^apps/signer/' },
      to: { path: '^(apps/(?!signer/)|packages/)' },
    },
    {
      name: 'signer-is-a-process-of-its-own',
      comment: 'The service reaches the signer over its socket; a key is never in its memory.',
      severity: 'error',
      from: { path: '^(apps/(?!signer/)|packages/)' },
      to: { path: '^apps/signer/' },
    },
    {
      name: 'no-tools-in-production',
      comment: 'What runs in production lives in apps and packages.',
      severity: 'error',
      from: { path: '^(apps|packages)/', pathNot: '[.]test[.]ts$|/testing/|/conformance/' },
      to: { path: '^(tools|tests|bench)/' },
    },
    {
      name: 'no-test-in-production',
      comment: 'Production code never imports a test or its helpers.',
      severity: 'error',
      from: {
        path: '^(apps|packages)/',
        pathNot: '[.]test[.]ts$|/testing/|/conformance/',
      },
      to: { path: '[.]test[.]ts$|/testing/|/conformance/' },
    },
    {
      name: 'not-to-unresolvable',
      comment: 'A path that leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'not-to-development-dependency',
      comment: '`npm ci --omit=dev` must still start. The sandbox is for development as a whole.',
      severity: 'error',
      from: { path: '/src/', pathNot: '^apps/sandbox/|[.]test[.]ts$|/testing/|/conformance/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    ...moduleRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Built for publishing, from what is checked; and what tests install in folders of their own.
    exclude: {
      path: '^((apps|packages)/[^/]+/dist|tests/collections/node_modules|packages/sdk/runtimes/node_modules)/',
    },
    // Sees `import type` too: an arrow of types is still an arrow.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
}
